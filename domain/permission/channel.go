package permission

import (
	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/group"
	"github.com/stoachat/stoa/domain/user"
)

// grants lists the channel settings whose members can see a private channel; members of the first two can also read it.
var grants = []string{"can_add_subscribers_group", "can_subscribe_group", "can_administer_channel_group"}

// SeesChannel reports whether u has metadata access to c: u can see that it exists, its name and its settings.
func SeesChannel(v *directory.View, c *channel.Channel, u *user.User) bool {
	if c == nil || u == nil || !u.Active {
		return false
	}
	if Reads(v, c, u) {
		return true
	}
	return !u.IsGuest() && (u.IsAdmin() || In(v, c.Permissions[grants[2]], u.ID))
}

// Reads reports whether u has content access to c: u can read its messages, in protected history only those received.
func Reads(v *directory.View, c *channel.Channel, u *user.User) bool {
	if c == nil || u == nil || !u.Active {
		return false
	}
	if c.WebPublic || v.Subscribed(u.ID, c.ID) {
		return true
	}
	if u.IsGuest() {
		return false
	}
	return !c.Private || In(v, c.Permissions[grants[0]], u.ID) || In(v, c.Permissions[grants[1]], u.ID)
}

// ReadsAll reports whether u can read the whole history of c, including messages sent while u was not subscribed.
func ReadsAll(v *directory.View, c *channel.Channel, u *user.User) bool {
	return c != nil && c.HistoryPublic && Reads(v, c, u)
}

// SeeingChannel returns the active users with metadata access to c.
func SeeingChannel(v *directory.View, c *channel.Channel) user.Set {
	if c == nil {
		return nil
	}
	if c.WebPublic {
		return v.Active()
	}
	users, guests := v.Subscribers(c.ID), v.WithRole(user.Guest)
	if !c.Private {
		return users.Union(v.Active().Minus(guests))
	}
	users = users.Union(v.WithRole(user.Owner)).Union(v.WithRole(user.Admin))
	var granted group.Setting
	for _, g := range grants {
		granted = granted.With(c.Permissions[g])
	}
	return users.Union(Members(v, granted).Minus(guests))
}

// WithoutMetadataAccess returns the users in us without metadata access to c.
func WithoutMetadataAccess(v *directory.View, c *channel.Channel, us user.Set) user.Set {
	if len(us) > maxEach {
		return us.Minus(SeeingChannel(v, c))
	}
	var out user.Set
	for _, u := range us {
		if !SeesChannel(v, c, v.User(u)) {
			out = append(out, u)
		}
	}
	return out
}

// SeesSubscribers reports whether u can see the subscribers of c. Metadata access suffices, which guests have if they
// are subscribed or the channel is web-public.
func SeesSubscribers(v *directory.View, c *channel.Channel, u *user.User) bool {
	return SeesChannel(v, c, u)
}

// Administers reports whether u is allowed to change c, as an administrator of the organization or by the channel's
// permission. Either implies metadata access.
func Administers(v *directory.View, c *channel.Channel, u *user.User) bool {
	const setting = "can_administer_channel_group"
	return c != nil && u != nil && u.Active &&
		(u.IsAdmin() || Allowed(v, group.OfStream, setting, c.Permissions[setting], u.ID))
}

// AddsSubscribers reports whether u is allowed to subscribe others to c. It requires content access, and either
// administering c or the permission for the channel or the realm.
func AddsSubscribers(v *directory.View, c *channel.Channel, u *user.User) bool {
	if !Reads(v, c, u) {
		return false
	}
	allowed := func(setting string) bool { return Allowed(v, group.OfStream, setting, c.Permissions[setting], u.ID) }
	return Administers(v, c, u) || allowed("can_add_subscribers_group") || Holds(v, u.ID, "can_add_subscribers_group")
}

// RemovesSubscribers reports whether u is allowed to unsubscribe others from c. All users may unsubscribe themselves
// and their bots.
func RemovesSubscribers(v *directory.View, c *channel.Channel, u *user.User) bool {
	const setting = "can_remove_subscribers_group"
	return Administers(v, c, u) ||
		c != nil && u != nil && Allowed(v, group.OfStream, setting, c.Permissions[setting], u.ID)
}

// CreatesChannels reports whether u is allowed to create channels with the given privacy. Whether the server allows
// web-public channels at all depends on its configuration.
func CreatesChannels(v *directory.View, u user.ID, p channel.Privacy) bool {
	switch {
	case p.WebPublic:
		return v.Realm() != nil && v.Realm().Settings.EnableSpectatorAccess &&
			Holds(v, u, "can_create_web_public_channel_group")
	case p.Private:
		return Holds(v, u, "can_create_private_channel_group")
	}
	return Holds(v, u, "can_create_public_channel_group")
}

// SetsTopicsPolicy reports whether u is allowed to set the topics policy of channels that u administers.
func SetsTopicsPolicy(v *directory.View, u *user.User) bool {
	return u != nil && (u.IsAdmin() || Holds(v, u.ID, "can_set_topics_policy_group"))
}

// SetsDeletePolicy reports whether u is allowed to set who deletes messages in channels that u administers.
func SetsDeletePolicy(v *directory.View, u *user.User) bool {
	return u != nil && (u.IsAdmin() || Holds(v, u.ID, "can_set_delete_message_policy_group"))
}
