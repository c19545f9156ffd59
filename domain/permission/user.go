package permission

import (
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/group"
	"github.com/stoachat/stoa/domain/user"
)

// Sees tells whether reader may know of a user: everybody, but for guests in a realm that restricts them, who see
// themselves, bots, and those they share a channel with (users-and-groups.md §4).
func Sees(v *directory.View, reader *user.User, id user.ID) bool {
	who := v.User(id)
	if reader == nil || who == nil {
		return false
	}
	if !restricted(v, reader) || id == reader.ID || who.IsBot() {
		return true
	}
	mine := v.Subscriptions(reader.ID)
	return len(mine.And(v.Subscriptions(id))) > 0
}

// Seeing gives the active users who may know of a user.
func Seeing(v *directory.View, id user.ID) user.Set {
	all := v.Active()
	for _, g := range v.WithRole(user.Guest) {
		if !Sees(v, v.User(g), id) {
			all = all.Minus(user.Set{g})
		}
	}
	return all
}

func restricted(v *directory.View, reader *user.User) bool {
	if !reader.IsGuest() || v.Realm() == nil {
		return false
	}
	return !In(v, v.Realm().Settings.Groups["can_access_all_users_group"], reader.ID) &&
		!v.Realm().Settings.Groups["can_access_all_users_group"].Equal(group.Setting{})
}

// SeesEmail tells whether reader may know the real address of who (users-and-groups.md §3).
func SeesEmail(reader, who *user.User) bool {
	if reader == nil || who == nil {
		return false
	}
	if reader.ID == who.ID || who.IsBot() {
		return true
	}
	switch who.Settings.EmailAddressVisibility {
	case 2:
		return reader.Role <= user.Member
	case 3:
		return reader.IsAdmin()
	case 4:
		return false
	case 5:
		return reader.Role <= user.Moderator
	}
	return true
}
