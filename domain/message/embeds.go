package message

import (
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/user"
)

// ShowsPages reports whether links in a user's messages get previews.
func ShowsPages(v *directory.View, sender user.ID) bool {
	u := v.User(sender)
	return v.Realm() != nil && v.Realm().Settings.InlineURLEmbedPreview && u != nil && !u.IsBot() && !u.System
}
