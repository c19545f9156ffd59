// Package permission answers "may this user do that": one evaluator over nested groups, used by endpoints, events and
// search alike.
package permission

import (
	"time"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/group"
	"github.com/stoachat/stoa/domain/user"
)

// In tells whether u, who must be active, is meant by a group-setting value, directly or through subgroups.
func In(v *directory.View, s group.Setting, u user.ID) bool {
	who := v.User(u)
	if who == nil || !who.Active {
		return false
	}
	if s.Group != 0 {
		return in(v, s.Group, who, nil)
	}
	if s.Members.Has(u) {
		return true
	}
	seen := map[group.ID]bool{}
	for _, g := range s.Subgroups {
		if in(v, g, who, seen) {
			return true
		}
	}
	return false
}

// Member tells whether u is in a group, directly or through subgroups. Members of a deactivated group are still members.
func Member(v *directory.View, g group.ID, u user.ID) bool { return In(v, group.Named(g), u) }

func in(v *directory.View, id group.ID, u *user.User, seen map[group.ID]bool) bool {
	if id < group.FirstCustom {
		return inSystem(v, id, u)
	}
	if seen == nil {
		seen = map[group.ID]bool{}
	}
	if seen[id] {
		return false
	}
	seen[id] = true
	g := v.Group(id)
	if g == nil {
		return false
	}
	if g.Members.Has(u.ID) {
		return true
	}
	for _, sub := range g.Subgroups {
		if in(v, sub, u, seen) {
			return true
		}
	}
	return false
}

// inSystem follows from the role alone.
func inSystem(v *directory.View, id group.ID, u *user.User) bool {
	switch id {
	case group.Owners:
		return u.Role <= user.Owner
	case group.Administrators:
		return u.Role <= user.Admin
	case group.Moderators:
		return u.Role <= user.Moderator
	case group.FullMembers:
		return u.Role <= user.Moderator || u.Role == user.Member && Full(v, u)
	case group.Members:
		return u.Role <= user.Member
	case group.Everyone, group.Internet:
		return true
	}
	return false
}

// Full tells whether a member's account is as old as the realm's waiting period asks. Where there is none it is, whatever clock the account
// was made by.
func Full(v *directory.View, u *user.User) bool {
	days := Waiting(v)
	return days == 0 || !v.Now().Before(u.Joined.Add(time.Duration(days)*24*time.Hour))
}

// Members gives the active users that a group-setting value means, directly or through subgroups.
func Members(v *directory.View, s group.Setting) user.Set {
	if s.Group != 0 {
		return closure(v, s.Group, map[group.ID]bool{}).And(v.Active())
	}
	all, seen := s.Members, map[group.ID]bool{}
	for _, g := range s.Subgroups {
		all = all.Union(closure(v, g, seen))
	}
	return all.And(v.Active())
}

func closure(v *directory.View, id group.ID, seen map[group.ID]bool) user.Set {
	if seen[id] {
		return nil
	}
	seen[id] = true
	g := v.Group(id)
	if g == nil {
		return nil
	}
	direct := g.Members
	if g.System {
		direct = DirectMembers(v, id)
	}
	all := direct
	for _, sub := range g.Subgroups {
		all = all.Union(closure(v, sub, seen))
	}
	return all
}

// DirectMembers gives a group's direct active members; those of a system group are the users of exactly its role, and full
// members are in role:members as well (users-and-groups.md §12). The server's own bots are in no group.
func DirectMembers(v *directory.View, id group.ID) user.Set {
	switch id {
	case group.Owners:
		return v.WithRole(user.Owner)
	case group.Administrators:
		return v.WithRole(user.Admin)
	case group.Moderators:
		return v.WithRole(user.Moderator)
	case group.Members:
		return people(v, func(*user.User) bool { return true })
	case group.Everyone:
		return v.WithRole(user.Guest)
	case group.FullMembers:
		return people(v, func(u *user.User) bool { return Full(v, u) })
	}
	if g := v.Group(id); g != nil {
		return g.Members.And(v.Active())
	}
	return nil
}

// people gives the members, in the sense of the role, that are wanted; never system bots.
func people(v *directory.View, want func(*user.User) bool) user.Set {
	members := v.WithRole(user.Member)
	out := make(user.Set, 0, len(members))
	for _, id := range members {
		if u := v.User(id); !u.System && want(u) {
			out = append(out, id)
		}
	}
	return out
}
