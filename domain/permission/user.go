package permission

import (
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/group"
	"github.com/stoachat/stoa/domain/user"
)

// Restricts tells whether the realm lets guests see only some users.
func Restricts(v *directory.View) bool {
	if v.Realm() == nil {
		return false
	}
	who := v.Realm().Settings.Groups["can_access_all_users_group"]
	return !who.Equal(group.Setting{}) && who.Group != group.Everyone
}

// Sees tells whether reader may know of a user: everybody, but for guests in a realm that restricts them, who see
// themselves, bots, those they share a channel with, and those they have written with directly.
func Sees(v *directory.View, reader *user.User, id user.ID) bool {
	who := v.User(id)
	if reader == nil || who == nil {
		return false
	}
	if !restricted(v, reader) || id == reader.ID || who.IsBot() || v.Partners(reader.ID).Has(id) {
		return true
	}
	mine, theirs := v.Subscriptions(reader.ID), v.Subscriptions(id)
	for _, c := range mine {
		if theirs.Has(c) {
			return true
		}
	}
	return false
}

// Seeing gives the active users who may know of a user.
func Seeing(v *directory.View, id user.ID) user.Set {
	all := v.Active()
	if !Restricts(v) {
		return all
	}
	var blind user.Set
	for _, g := range v.WithRole(user.Guest) {
		if !Sees(v, v.User(g), id) {
			blind = append(blind, g)
		}
	}
	return all.Minus(blind)
}

func restricted(v *directory.View, reader *user.User) bool { return reader.IsGuest() && Restricts(v) }

// SeesEmail reports whether reader may know the real address of who. A reader with ID 0 stands for anyone with the
// role.
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

// CheckNewEmail refuses an address that somebody wants for themselves and may not have, whoever else has it: where only
// administrators change their addresses (email_changes_disabled), and those that the realm does not let in. Errors:
// BadRequest.
func CheckNewEmail(v *directory.View, u *user.User, email string) error {
	if v.Realm().Settings.EmailChangesDisabled && !u.IsAdmin() {
		return errs.Bad("Email address changes are disabled in this organization.")
	}
	return v.Realm().CheckEmail(email)
}

// APIEmail is the address by which clients know u, whoever reads.
func APIEmail(v *directory.View, u *user.User) string { return u.APIEmail(mailDomain(v)) }

// AvatarURL is u's picture for the wire: null for clients that find it themselves (client_gravatar), which they can
// when the address is no secret.
func AvatarURL(v *directory.View, u *user.User, clientGravatar bool) *string {
	if clientGravatar && u.ComputesAvatar() {
		return nil
	}
	url := u.AvatarURL(mailDomain(v), false)
	return &url
}

// ByEmail finds a user by what reader may use as an address: the API e-mail, or the real one if reader may see it. It
// gives nil for users that reader may not see. Whoever is not logged in (ID 0) finds nobody by the real address, not
// even those who show theirs to everyone.
func ByEmail(v *directory.View, reader *user.User, email string) *user.User {
	who := v.UserByEmail(email)
	if who == nil || reader == nil || reader.ID == 0 || !SeesEmail(reader, who) {
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
