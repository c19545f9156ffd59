package permission

import (
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/group"
	"github.com/stoachat/stoa/domain/user"
)

// Restricts reports whether the realm restricts which users guests can see.
func Restricts(v *directory.View) bool {
	if v.Realm() == nil {
		return false
	}
	allowed := v.Realm().Settings.Groups["can_access_all_users_group"]
	return !allowed.Equal(group.Setting{}) && allowed.Group != group.Everyone
}

// Sees reports whether reader can see a user. In a realm that restricts guests, they can see themselves, bots, users
// with whom they share a channel, and users with whom they have exchanged direct messages. Everyone else can see all
// users.
func Sees(v *directory.View, reader *user.User, id user.ID) bool {
	target := v.User(id)
	if reader == nil || target == nil {
		return false
	}
	if !restricted(v, reader) || id == reader.ID || target.IsBot() || v.Partners(reader.ID).Has(id) {
		return true
	}
	readerChannels, targetChannels := v.Subscriptions(reader.ID), v.Subscriptions(id)
	for _, c := range readerChannels {
		if targetChannels.Has(c) {
			return true
		}
	}
	return false
}

// Seeing returns the active users who can see a user.
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

// SeesEmail reports whether reader can see target's real address. A reader with ID 0 stands for any user with that
// role.
func SeesEmail(reader, target *user.User) bool {
	if reader == nil || target == nil {
		return false
	}
	if reader.ID == target.ID || target.IsBot() {
		return true
	}
	switch target.Settings.EmailAddressVisibility {
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

// CheckNewEmail checks that a user is allowed to change to an address, regardless of whether it is in use:
// email_changes_disabled restricts changes to administrators, and the realm restricts domains. Errors: BadRequest.
func CheckNewEmail(v *directory.View, u *user.User, email string) error {
	if !ChangesOwnEmail(v, u) {
		return errs.Bad("Email address changes are disabled in this organization.")
	}
	return v.Realm().CheckEmail(email)
}

// APIEmail returns the address by which clients identify u, the same for all readers.
func APIEmail(v *directory.View, u *user.User) string { return u.APIEmail(mailDomain(v)) }

// AvatarURL returns the avatar_url of u. It is nil for clients that compute it themselves (client_gravatar), unless the
// email address is hidden.
func AvatarURL(v *directory.View, u *user.User, clientGravatar bool) *string {
	if clientGravatar && u.ComputesAvatar() {
		return nil
	}
	url := u.AvatarURL(mailDomain(v), false)
	return &url
}

// ByEmail returns the user with an address: the API address, or the real one if reader can see it. It returns nil for
// users whom reader cannot see. Clients without login (ID 0) find no user by real address.
func ByEmail(v *directory.View, reader *user.User, email string) *user.User {
	u := v.UserByEmail(email)
	if u == nil || reader == nil || reader.ID == 0 || !SeesEmail(reader, u) {
		id, ok := user.FromAPIEmail(email, mailDomain(v))
		if u = v.User(id); !ok || u == nil {
			return nil
		}
	}
	if !Sees(v, reader, u.ID) {
		return nil
	}
	return u
}

func mailDomain(v *directory.View) string {
	if v.Realm() == nil {
		return ""
	}
	return v.Realm().MailDomain
}

// ChangesUser reports whether u is allowed to change the name, profile and address of another user, and to deactivate
// or reactivate the user, as an administrator or as the owner of a bot. Owners have more rules: see Outranks.
func ChangesUser(u, other *user.User) bool {
	return u != nil && other != nil && !other.System && (u.IsAdmin() || other.IsBot() && other.BotOwner == u.ID)
}

// Outranks reports whether u is allowed to change the role of another user and to deactivate the user, as far as ranks
// matter: only owners can change owners.
func Outranks(u, other *user.User) bool {
	return other.Role != user.Owner || u != nil && u.Role == user.Owner
}

// Promotes reports whether u is allowed to give another user a role, regardless of whether an owner remains.
func Promotes(u, other *user.User, to user.Role) bool {
	return u != nil && u.IsAdmin() && (to != user.Owner || u.Role == user.Owner) && Outranks(u, other)
}

// LastOwner reports whether u is the only active human owner, who can be neither demoted nor deactivated.
func LastOwner(v *directory.View, u *user.User) bool {
	if u.Role != user.Owner || !u.Active || u.IsBot() {
		return false
	}
	for _, id := range v.WithRole(user.Owner) {
		if id != u.ID && !v.User(id).IsBot() {
			return false
		}
	}
	return true
}

// ChangesOwnName reports whether u is allowed to change their own name.
func ChangesOwnName(v *directory.View, u *user.User) bool {
	return !v.Realm().Settings.NameChangesDisabled || u.IsAdmin()
}

// ChangesOwnEmail reports whether u is allowed to change their own address, to one that the realm accepts.
func ChangesOwnEmail(v *directory.View, u *user.User) bool {
	return !v.Realm().Settings.EmailChangesDisabled || u.IsAdmin()
}

// ChangesOwnAvatar reports whether u is allowed to change their own picture.
func ChangesOwnAvatar(v *directory.View, u *user.User) bool {
	return !v.Realm().Settings.AvatarChangesDisabled || u.IsAdmin()
}
