package permission

import (
	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/group"
	"github.com/stoachat/stoa/domain/user"
)

// VisibilityChange is a channel with the users who gained or lost metadata access.
type VisibilityChange struct {
	Channel      *channel.Channel // the current record
	Gained, Lost user.Set
}

// VisibilityChanges returns the visibility changes that follow from changes of users and groups: roles, join dates,
// membership, the waiting period. Changes of channels and subscriptions are excluded, since their callers know whom to
// notify, and so are users who are not active before and after. If no channel names an affected group, or no membership
// differs, nothing is computed.
func VisibilityChanges(before, after *directory.View, changes []directory.Change) []VisibilityChange {
	var people, members user.Set // users to check for all channels, and for channels that name one of the groups
	var groups group.Set
	for _, c := range changes {
		switch {
		case c.User != nil && c.User.Old != nil && c.User.New != nil:
			if old, now := c.User.Old, c.User.New; (old.Role != now.Role || !old.Joined.Equal(now.Joined)) && old.Active &&
				now.Active {
				people = people.Union(user.Set{now.ID})
			}
		case c.Members != nil:
			groups, members = groups.Union(group.Set{c.Members.Group}), members.Union(c.Members.Add).Union(c.Members.Remove)
		case c.Group != nil && c.Group.Old != nil && c.Group.New != nil:
			if old, now := c.Group.Old.Subgroups, c.Group.New.Subgroups; len(old.Minus(now))+len(now.Minus(old)) > 0 {
				id := c.Group.New.ID
				groups, members = groups.Union(group.Set{id}), members.Union(membershipDiff(before, after, id))
			}
		case c.Realm != nil && c.Realm.Old != nil && c.Realm.New != nil:
			if c.Realm.Old.Settings.WaitingPeriodThreshold != c.Realm.New.Settings.WaitingPeriodThreshold {
				groups = groups.Union(group.Set{group.FullMembers})
				members = members.Union(membershipDiff(before, after, group.FullMembers))
			}
		}
	}
	return visibilityChanges(before, after, people, groups, members)
}

// VisibleByAge returns the visibility changes of members whose accounts reached the waiting period between the times of
// the two views.
func VisibleByAge(before, after *directory.View) []VisibilityChange {
	members := membershipDiff(before, after, group.FullMembers)
	return visibilityChanges(before, after, nil, group.Set{group.FullMembers}, members)
}

// membershipDiff returns the users who are in a group according to only one of two views.
func membershipDiff(before, after *directory.View, g group.ID) user.Set {
	was, is := Members(before, group.Named(g)), Members(after, group.Named(g))
	return was.Minus(is).Union(is.Minus(was))
}

// maxEach is the number of users up to which each is checked individually instead of computing all users with access.
const maxEach = 100

// visibilityChanges checks all channels for people. For members it checks only channels that name one of the groups or
// a group containing one, since no other membership differs.
func visibilityChanges(before, after *directory.View, people user.Set, groups group.Set,
	members user.Set) []VisibilityChange {
	if len(people) == 0 && len(members) == 0 {
		return nil
	}
	groups = before.Above(groups).Union(after.Above(groups))
	var all []VisibilityChange
	for c := range after.Channels() {
		old := before.Channel(c.ID)
		if old == nil {
			continue
		}
		s, each := VisibilityChange{Channel: c}, people
		concerned := len(members) > 0 && c.Private && namesAny(c, groups)
		if concerned && len(members) <= maxEach {
			each = people.Union(members)
		}
		for _, u := range each {
			had, has := SeesChannel(before, old, before.User(u)), SeesChannel(after, c, after.User(u))
			switch {
			case has && !had:
				s.Gained = append(s.Gained, u)
			case had && !has:
				s.Lost = append(s.Lost, u)
			}
		}
		if concerned && len(members) > maxEach {
			had, has := SeeingChannel(before, old), SeeingChannel(after, c)
			s.Gained = s.Gained.Union(has.Minus(had))
			s.Lost = s.Lost.Union(had.Minus(has))
		}
		s.Gained, s.Lost = s.Gained.And(before.Active()), s.Lost.And(after.Active())
		if len(s.Gained)+len(s.Lost) > 0 {
			all = append(all, s)
		}
	}
	return all
}

// namesAny reports whether metadata access to c depends on one of the groups.
func namesAny(c *channel.Channel, groups group.Set) bool {
	for _, name := range grants {
		if s := c.Permissions[name]; groups.Has(s.Group) || len(s.Subgroups.And(groups)) > 0 {
			return true
		}
	}
	return false
}
