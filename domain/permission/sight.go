package permission

import (
	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/group"
	"github.com/stoachat/stoa/domain/user"
)

// VisibilityChange is a channel of which some have come to know, and others know no more.
type VisibilityChange struct {
	Channel      *channel.Channel // as it is now
	Gained, Lost user.Set
}

// Sights gives the channels of which others know by changes of people and groups: of a role, of when somebody joined,
// of who is in a group, of the waiting period. What becomes of a channel or of subscriptions is left aside; who changes
// these knows whom to tell. People who are not active before and after the changes hear of nothing, and are left out.
// Where no channel names a group that is concerned, or nobody is in one who was not before, nothing is computed.
func Sights(before, after *directory.View, changes []directory.Change) []VisibilityChange {
	var people, members user.Set // who is to be looked at for all channels, and for those that name one of the groups
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
				groups, members = groups.Union(group.Set{c.Group.New.ID}), members.Union(moved(before, after, c.Group.New.ID))
			}
		case c.Realm != nil && c.Realm.Old != nil && c.Realm.New != nil:
			if c.Realm.Old.Settings.WaitingPeriodThreshold != c.Realm.New.Settings.WaitingPeriodThreshold {
				groups, members = groups.Union(group.Set{group.FullMembers}), members.Union(moved(before, after, group.FullMembers))
			}
		}
	}
	return sights(before, after, people, groups, members)
}

// Ripened gives the channels of which members know since their accounts have become old enough, between the times of
// the two views.
func Ripened(before, after *directory.View) []VisibilityChange {
	return sights(before, after, nil, group.Set{group.FullMembers}, moved(before, after, group.FullMembers))
}

// moved gives who is in a group in one of two views alone.
func moved(before, after *directory.View, g group.ID) user.Set {
	was, is := Members(before, group.Named(g)), Members(after, group.Named(g))
	return was.Minus(is).Union(is.Minus(was))
}

// maxEach is how many people are asked for each on their own, rather than for all who know.
const maxEach = 100

// sights looks at all channels for people, and for members at those that name one of the groups, or one that these are
// within: nobody else has come into one of them or is out of it.
func sights(before, after *directory.View, people user.Set, groups group.Set, members user.Set) []VisibilityChange {
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
			had, has := KnowsOf(before, old, before.User(u)), KnowsOf(after, c, after.User(u))
			switch {
			case has && !had:
				s.Gained = append(s.Gained, u)
			case had && !has:
				s.Lost = append(s.Lost, u)
			}
		}
		if concerned && len(members) > maxEach {
			had, has := Knowing(before, old), Knowing(after, c)
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

// namesAny tells whether who may know of c depends on one of the groups.
func namesAny(c *channel.Channel, groups group.Set) bool {
	for _, name := range grants {
		if s := c.Permissions[name]; groups.Has(s.Group) || len(s.Subgroups.And(groups)) > 0 {
			return true
		}
	}
	return false
}
