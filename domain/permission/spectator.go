package permission

import (
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/user"
)

// ShownToSpectators returns what clients without login may see of a user, if the realm admits them: no email addresses,
// even if all users see them, and no time zone. In a realm that restricts guests they see only bots and subscribers of
// web-public channels; for other users it returns nil.
func ShownToSpectators(v *directory.View, id user.ID) *user.User {
	u := v.User(id)
	if u == nil || Restricts(v) && !u.IsBot() && !inWebPublic(v, id) {
		return nil
	}
	return ForSpectators(u)
}

// ForSpectators returns u without the fields hidden from clients without login.
func ForSpectators(u *user.User) *user.User {
	shown := *u
	shown.Settings.EmailAddressVisibility = user.NobodySees
	shown.Settings.Timezone = ""
	return &shown
}

func inWebPublic(v *directory.View, id user.ID) bool {
	for _, id := range v.Subscriptions(id) {
		if c := v.Channel(id); c != nil && c.WebPublic && !c.Archived {
			return true
		}
	}
	return false
}
