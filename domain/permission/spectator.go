package permission

import (
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/user"
)

// ShownToSpectators returns a user's record for clients without login, if the realm admits them. It contains neither
// the time zone nor the email address, even if all users can see it. In a realm that restricts guests, it is nil for
// users other than bots and subscribers of web-public channels.
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
