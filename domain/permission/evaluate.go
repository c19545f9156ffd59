// Package permission evaluates rules about users, groups and channels on a view. Endpoints, events and search use the
// same rules, which resolve nested groups.
package permission

import (
	"slices"
	"time"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/group"
	"github.com/stoachat/stoa/domain/idset"
	"github.com/stoachat/stoa/domain/user"
)

// In reports whether u is active and a group-setting value includes u, directly or through subgroups.
func In(v *directory.View, s group.Setting, u user.ID) bool {
	member := v.User(u)
	if member == nil || !member.Active {
		return false
	}
	if s.Group != 0 {
		return in(v, s.Group, member)
	}
	return s.Members.Has(u) || slices.ContainsFunc(s.Subgroups, func(g group.ID) bool { return in(v, g, member) })
}

// Member reports whether u is in a group, directly or through subgroups. Members of a deactivated group are still
// members.
func Member(v *directory.View, g group.ID, u user.ID) bool { return In(v, group.Named(g), u) }

func in(v *directory.View, id group.ID, u *user.User) bool {
	if id < group.FirstCustom {
		return inSystem(v, id, u)
	}
	g := v.Group(id)
	switch {
	case g == nil:
		return false
	case g.Members.Has(u.ID):
		return true
	case len(g.Subgroups) == 0:
		return false
	}
	return v.Belongs(u.ID, id) || v.Within(narrowest(v, u), id)
}

// narrowest returns the system group of u that all other system groups of u contain.
func narrowest(v *directory.View, u *user.User) group.ID {
	for id := group.Owners; id < group.Everyone; id++ {
		if inSystem(v, id, u) {
			return id
		}
	}
	return group.Everyone
}

// inSystem reports whether the role of u makes it a member of a system group.
func inSystem(v *directory.View, id group.ID, u *user.User) bool {
	switch id {
	case group.Owners:
		return u.Role <= user.Owner
	case group.Administrators:
		return u.Role <= user.Admin
	case group.Moderators:
		return u.Role <= user.Moderator
	case group.FullMembers:
		return u.Role <= user.Moderator || u.Role == user.Member && IsFullMember(v, u)
	case group.Members:
		return u.Role <= user.Member
	case group.Everyone, group.Internet:
		return true
	}
	return false
}

// IsFullMember reports whether a member's account is older than the realm's waiting period. Without one it always
// returns true, even if the account was created by a clock that was ahead.
func IsFullMember(v *directory.View, u *user.User) bool {
	days := Waiting(v)
	return days == 0 || !v.Now().Before(u.Joined.Add(time.Duration(days)*24*time.Hour))
}

// Members returns the active users that a group-setting value includes, directly or through subgroups.
func Members(v *directory.View, s group.Setting) user.Set {
	groups := s.Subgroups
	if s.Group != 0 {
		groups = group.Set{s.Group}
	}
	groups = v.Below(groups)
	sets := append(make([]user.Set, 0, len(groups)+1), s.Members)
	for _, id := range groups {
		if id < group.FirstCustom {
			sets = append(sets, DirectMembers(v, id))
		} else if g := v.Group(id); g != nil {
			sets = append(sets, g.Members)
		}
	}
	return idset.Union(sets...).And(v.Active())
}

// DirectMembers returns a group's direct active members. Those of a system group are the users with exactly its role;
// full members are also in role:members. System bots are in no group.
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
		return people(v, func(u *user.User) bool { return IsFullMember(v, u) })
	}
	if g := v.Group(id); g != nil {
		return g.Members.And(v.Active())
	}
	return nil
}

// people returns the active users with the role member that want accepts, without system bots.
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
