package invite

import (
	"time"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/group"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/user"
)

// CheckCreate refuses invitations that a user is not allowed to create. Guests cannot create any; other users, bots
// included, cannot invite to a role above their own. Call it on creation and again on use. Errors: BadRequest.
func CheckCreate(v *directory.View, inviter user.ID, k Kind, as user.Role) error {
	u := v.User(inviter)
	setting := "can_invite_users_group"
	if k == ByLink {
		setting = "create_multiuse_invite_group"
	}
	switch {
	case u == nil || !u.Active || u.IsGuest() || !permission.Holds(v, inviter, setting):
		return errs.Bad("Insufficient permission")
	case !as.Valid():
		return errs.Bad("Invalid invite_as: %d", as)
	case as == user.Owner && u.Role > user.Owner:
		return errs.Bad("Must be an organization owner")
	case as < u.Role && as == user.Moderator:
		return errs.Bad("Must be an organization moderator")
	case as < u.Role:
		return errs.Bad("Must be an organization administrator")
	}
	return nil
}

// OldEnough reports whether an inviter's account has the minimum age. For a bot, the age of its owner's account counts:
// otherwise a new user could invite through a bot that someone transferred to them. Administrators and their bots are
// exempt.
func OldEnough(v *directory.View, inviter user.ID, age time.Duration) bool {
	u, person := v.User(inviter), v.User(v.Responsible(inviter))
	return u != nil && person != nil && (u.IsAdmin() || person.IsAdmin() || !v.Now().Before(person.Joined.Add(age)))
}

// Sees reports whether u can see an invitation, as its inviter or as an administrator. Among administrators only owners
// can see links to the owner role, since any other could use one to become an owner.
func Sees(v *directory.View, i *Invite, u user.ID) bool {
	who := v.User(u)
	if who == nil || !who.Active || who.IsGuest() {
		return false
	}
	return i.Inviter == u || who.Role == user.Owner || who.IsAdmin() && (i.Role != user.Owner || i.Kind != ByLink)
}

// Visible returns the channels and groups of an invitation that u can see. It omits those that are archived or
// deactivated, to which the invitation gives no access.
func Visible(v *directory.View, i *Invite, u user.ID) ([]channel.ID, []group.ID) {
	cs, gs := []channel.ID{}, []group.ID{}
	for _, id := range i.Channels {
		if c := v.Channel(id); c != nil && !c.Archived && permission.SeesChannel(v, c, v.User(u)) {
			cs = append(cs, id)
		}
	}
	for _, id := range i.Groups {
		if g := v.Group(id); g != nil && !g.Deactivated {
			gs = append(gs, id)
		}
	}
	return cs, gs
}

// SeesLink reports whether u can see an invitation's link itself, as its inviter or as a user who can see the
// invitation and could create it. Anyone else could use the link to create an account with access that they lack.
// Archived channels and deactivated groups count as active, since they may be restored while the link is valid.
func SeesLink(v *directory.View, i *Invite, u user.ID) bool {
	if !Sees(v, i, u) {
		return false
	}
	if i.Inviter == u {
		return true
	}
	who := v.User(u)
	for _, id := range i.Channels {
		if c := v.Channel(id); c != nil && !c.Default && !permission.AddsSubscribers(v, c, who) {
			return false
		}
	}
	for _, id := range i.Groups {
		if g := v.Group(id); g != nil && !g.System && !permission.AddsTo(v, g, u) {
			return false
		}
	}
	return CheckCreate(v, u, ByLink, i.Role) == nil
}

// CheckRevoke returns an error unless u is allowed to revoke and resend an invitation, as its inviter or as an
// administrator. Invitations to the owner role require the inviter or an owner. Errors: BadRequest.
func CheckRevoke(v *directory.View, i *Invite, u user.ID) error {
	switch {
	case !Sees(v, i, u):
		return Missing()
	case i.Inviter != u && i.Role == user.Owner && v.User(u).Role != user.Owner:
		return errs.Bad("Must be an organization owner")
	}
	return nil
}

// Missing returns the error for an invitation that does not exist, has ended, or is invisible to the caller.
func Missing() error { return errs.Bad("No such invitation") }

// CheckChannels refuses channels that are neither default channels nor channels to which the inviter can add
// subscribers. Errors: BadRequest, the same for missing and inaccessible channels.
func CheckChannels(v *directory.View, inviter user.ID, ids []channel.ID) error {
	u := v.User(inviter)
	var refused bool
	for _, id := range ids {
		c := v.Channel(id)
		if c == nil || c.Archived || !permission.SeesChannel(v, c, u) {
			return errs.Bad("Invalid channel ID %d. No invites were sent.", id)
		}
		refused = refused || !c.Default && !permission.AddsSubscribers(v, c, u)
	}
	if refused {
		return errs.Bad("You do not have permission to subscribe other users to channels.")
	}
	return nil
}

// CheckGroups refuses groups to which the inviter can't add members. Errors: BadRequest.
func CheckGroups(v *directory.View, inviter user.ID, ids []group.ID) error {
	for _, id := range ids {
		g := v.Group(id)
		switch {
		case g == nil:
			return errs.Bad("Invalid user group")
		case g.Deactivated:
			return errs.Bad("User group is deactivated.")
		case g.System || !permission.AddsTo(v, g, inviter):
			return errs.Bad("Insufficient permission")
		}
	}
	return nil
}

// Granted returns the invitation's channels and groups, except those that were archived or deactivated and those to
// which the inviter can no longer add users. It includes the default channels if i.Defaults is set.
func Granted(v *directory.View, i *Invite) ([]channel.ID, []group.ID) {
	inviter := v.User(i.Inviter)
	channels := map[channel.ID]bool{}
	for _, id := range i.Channels {
		if c := v.Channel(id); c != nil && !c.Archived && (c.Default || permission.AddsSubscribers(v, c, inviter)) {
			channels[id] = true
		}
	}
	var cs []channel.ID
	for c := range v.Channels() {
		if channels[c.ID] || i.Defaults && c.Default && !c.Archived {
			cs = append(cs, c.ID)
		}
	}
	var gs []group.ID
	for _, id := range i.Groups {
		if g := v.Group(id); g != nil && !g.Deactivated && !g.System && permission.AddsTo(v, g, i.Inviter) {
			gs = append(gs, id)
		}
	}
	return cs, gs
}
