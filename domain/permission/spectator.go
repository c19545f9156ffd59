package permission

import (
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/user"
)

// ShownToSpectators gives what those who are not logged in may know of a user, where the realm lets them in: nothing of
// addresses, also where everybody who is logged in sees them, nor of where somebody lives. In a realm that lets guests
// see only some users they are told of bots, and of those who are in a channel that everybody on the web may read; of
// others they get nil.
func ShownToSpectators(v *directory.View, id user.ID) *user.User {
	u := v.User(id)
	if u == nil || Restricts(v) && !u.IsBot() && !inWebPublic(v, id) {
		return nil
	}
	return ForSpectators(u)
}

// ForSpectators gives u without what those who are not logged in are not told.
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
