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
	case user.EveryoneSees:
		return true
	case user.MembersSee:
		return reader.Role <= user.Member
	case user.ModeratorsSee:
		return reader.Role <= user.Moderator
	case user.AdminsSee:
		return reader.IsAdmin()
	}
	return false
}

// APIEmail is the address by which clients know u, whoever reads.
func APIEmail(v *directory.View, u *user.User) string { return u.APIEmail(mailDomain(v)) }

// AvatarURL is u's picture for the wire: null for clients that find it themselves (client_gravatar), which they can when
// the address is no secret.
func AvatarURL(v *directory.View, u *user.User, clientGravatar bool) *string {
	if clientGravatar && u.ComputesAvatar() {
		return nil
	}
	url := u.AvatarURL(mailDomain(v), false)
	return &url
}

// ByEmail finds a user by what reader may use as an address: the API e-mail, or the real one if reader may see it. It
// gives nil for users that reader may not see.
func ByEmail(v *directory.View, reader *user.User, email string) *user.User {
	who := v.UserByEmail(email)
	if who == nil || !SeesEmail(reader, who) {
		id, ok := user.FromAPIEmail(email, mailDomain(v))
		if who = v.User(id); !ok || who == nil {
			return nil
		}
	}
	if !Sees(v, reader, who.ID) {
		return nil
	}
	return who
}

func mailDomain(v *directory.View) string {
	if v.Realm() == nil {
		return ""
	}
	return v.Realm().MailDomain
}
