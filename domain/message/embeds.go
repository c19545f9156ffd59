package message

import (
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/user"
)

// ShowsPages tells whether the pages that somebody's messages link to are shown.
func ShowsPages(v *directory.View, sender user.ID) bool {
	u := v.User(sender)
	return v.Realm() != nil && v.Realm().Settings.InlineURLEmbedPreview && u != nil && !u.IsBot() && !u.System
}
