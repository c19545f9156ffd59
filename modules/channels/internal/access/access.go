// Package access decides whether the caller of a request may access a channel. The server itself (user.Actor.System)
// may do everything; spectators can access only web-public channels.
package access

import (
	"slices"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/user"
)

// Sees reports whether a has metadata access to c, that is, may know that c exists.
func Sees(v *directory.View, c *channel.Channel, a user.Actor) bool {
	return check(v, c, a, permission.SeesChannel)
}

// Reads reports whether a has content access to c, that is, may read its messages.
func Reads(v *directory.View, c *channel.Channel, a user.Actor) bool {
	return check(v, c, a, permission.Reads)
}

func check(
	v *directory.View,
	c *channel.Channel,
	a user.Actor,
	rule func(*directory.View, *channel.Channel, *user.User) bool,
) bool {
	switch {
	case c == nil:
		return false
	case a.System:
		return true
	case a.User == 0:
		return c.WebPublic && v.Realm() != nil && v.Realm().Settings.EnableSpectatorAccess
	}
	return rule(v, c, v.User(a.User))
}

// Administers reports whether a may change c.
func Administers(v *directory.View, c *channel.Channel, a user.Actor) bool {
	return a.System || permission.Administers(v, c, v.User(a.User))
}

// MayAdd reports whether a may subscribe others to c. It assumes that a can read c.
func MayAdd(v *directory.View, c *channel.Channel, a user.Actor) bool {
	return a.System || permission.AddsSubscribers(v, c, v.User(a.User))
}

// MayRemove reports whether a may unsubscribe users from c. All users may unsubscribe themselves and their bots. It
// assumes that a can see c.
func MayRemove(v *directory.View, c *channel.Channel, a user.Actor, us user.Set) bool {
	others := func(id user.ID) bool {
		u := v.User(id)
		return id != a.User && (!u.IsBot() || u.BotOwner == 0 || u.BotOwner != a.User)
	}
	return !slices.ContainsFunc(us, others) || a.System || permission.RemovesSubscribers(v, c, v.User(a.User))
}

// SeesSubscribers reports whether a may see who subscribes to c.
func SeesSubscribers(v *directory.View, c *channel.Channel, a user.Actor) bool {
	return check(v, c, a, permission.SeesSubscribers)
}

// ErrInsufficient returns the error for an operation that a permission setting does not allow.
func ErrInsufficient() error { return errs.Bad("Insufficient permission") }

// ErrNameInUse returns the error for a new name that another channel has.
func ErrNameInUse(name string) error {
	return errs.New(errs.ChannelExists, "Channel '%s' already exists", name).With("channel_name", name)
}

// CheckPrivacy checks that a may create channels with the given privacy. webPublic reports whether the server allows
// web-public channels. Errors: BadRequest.
func CheckPrivacy(v *directory.View, a user.Actor, p channel.Privacy, webPublic bool) error {
	if p.WebPublic && (!webPublic || v.Realm() == nil || !v.Realm().Settings.EnableSpectatorAccess) {
		return errs.Bad("Web-public channels are not enabled.")
	}
	if !a.System && !permission.CreatesChannels(v, a.User, p) {
		return ErrInsufficient()
	}
	return nil
}

// CheckTopicsPolicy checks that a may set a channel's topics policy. Errors: BadRequest.
func CheckTopicsPolicy(v *directory.View, a user.Actor) error {
	if a.System || permission.SetsTopicsPolicy(v, v.User(a.User)) {
		return nil
	}
	return ErrInsufficient()
}

// Deletes reports whether a permission setting controls who deletes messages. Changing such a setting requires
// CheckDeletePolicy.
func Deletes(setting string) bool {
	return setting == "can_delete_any_message_group" || setting == "can_delete_own_message_group"
}

// CheckDeletePolicy checks that a may set who deletes messages in a channel. Errors: BadRequest.
func CheckDeletePolicy(v *directory.View, a user.Actor) error {
	if a.System || permission.SetsDeletePolicy(v, v.User(a.User)) {
		return nil
	}
	return ErrInsufficient()
}
