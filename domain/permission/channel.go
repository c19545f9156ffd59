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
