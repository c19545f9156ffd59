package channels

import (
	"slices"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/group"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/user"
)

// The rules of access to channels, over one view. The server itself (a.System) may do everything; nobody logged in
// sees web-public channels only.

// knows tells whether a may know that c exists: metadata access.
func knows(v *directory.View, c *channel.Channel, a user.Actor) bool {
	return may(v, c, a, permission.KnowsOf)
}

// reads tells whether a may read the messages of c: content access.
func reads(v *directory.View, c *channel.Channel, a user.Actor) bool {
	return may(v, c, a, permission.Reads)
}

func may(
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

func admin(v *directory.View, a user.Actor) bool {
	u := v.User(a.User)
	return a.System || u != nil && u.Active && u.IsAdmin()
}

func owner(v *directory.View, a user.Actor) bool {
	u := v.User(a.User)
	return a.System || u != nil && u.Active && u.Role == user.Owner
}

// holds tells whether a has a permission setting of the realm.
func holds(v *directory.View, a user.Actor, setting string) bool {
	return a.System || permission.Holds(v, a.User, setting)
}

// inSetting tells whether a channel's setting means a.
func inSetting(v *directory.View, c *channel.Channel, a user.Actor, setting string) bool {
	return a.System || permission.Allowed(v, group.OfStream, setting, c.Permissions[setting], a.User)
}

// administers tells whether a may change c.
func administers(v *directory.View, c *channel.Channel, a user.Actor) bool {
	return admin(v, a) || inSetting(v, c, a, "can_administer_channel_group")
}

// mayAdd tells whether a, who reads c, may subscribe others to it.
func mayAdd(v *directory.View, c *channel.Channel, a user.Actor) bool {
	return a.System || permission.AddsSubscribers(v, c, v.User(a.User))
}

// mayRemove tells whether a, who knows of c, may end the subscriptions of people. Their own and those of their bots
// everybody may.
func mayRemove(v *directory.View, c *channel.Channel, a user.Actor, us user.Set) bool {
	others := func(id user.ID) bool {
		u := v.User(id)
		return id != a.User && (!u.IsBot() || u.BotOwner == 0 || u.BotOwner != a.User)
	}
	return !slices.ContainsFunc(us, others) || administers(v, c, a) || inSetting(v, c, a, "can_remove_subscribers_group")
}

// seesSubscribers tells whether a may see who subscribes to c.
func seesSubscribers(v *directory.View, c *channel.Channel, a user.Actor) bool {
	return may(v, c, a, permission.SeesSubscribers)
}

// errInsufficient is the refusal of what a permission setting does not allow.
func errInsufficient() error { return errs.Bad("Insufficient permission") }

// errNotOwner is the refusal of what only owners may choose.
func errNotOwner() error {
	return errs.New(errs.UnauthorizedPrincipal, "Must be an organization owner")
}

func errNoChannel() error { return errs.Bad("Invalid channel ID") }

// checkPrivacy tells whether a may make channels of that privacy. webPublic is whether this server has web-public
// channels at all. Errors: BadRequest.
func checkPrivacy(v *directory.View, a user.Actor, p channel.Privacy, webPublic bool) error {
	setting := "can_create_public_channel_group"
	switch {
	case p.WebPublic:
		if !webPublic || v.Realm() == nil || !v.Realm().Settings.EnableSpectatorAccess {
			return errs.Bad("Web-public channels are not enabled.")
		}
		setting = "can_create_web_public_channel_group"
	case p.Private:
		setting = "can_create_private_channel_group"
	}
	if !holds(v, a, setting) {
		return errInsufficient()
	}
	return nil
}

// checkTopicsPolicy tells whether a may choose a policy for a channel.
func checkTopicsPolicy(v *directory.View, a user.Actor) error {
	if admin(v, a) || holds(v, a, "can_set_topics_policy_group") {
		return nil
	}
	return errInsufficient()
}

// deletes tells whether a permission setting is about deleting messages, which not everybody may set.
func deletes(setting string) bool {
	return setting == "can_delete_any_message_group" || setting == "can_delete_own_message_group"
}

func checkDeletePolicy(v *directory.View, a user.Actor) error {
	if admin(v, a) || holds(v, a, "can_set_delete_message_policy_group") {
		return nil
	}
	return errInsufficient()
}
