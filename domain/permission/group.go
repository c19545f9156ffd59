package permission

import (
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/group"
	"github.com/stoachat/stoa/domain/user"
)

// Manages tells whether u may change a group: rename it, set its permissions, deactivate it. Nobody manages system
// groups.
func Manages(v *directory.View, g *group.Group, u user.ID) bool {
	return !g.System && (Holds(v, u, "can_manage_all_groups") || holdsOf(v, g, "can_manage_group", u))
}

// AddsTo tells whether u may make others members of a group.
func AddsTo(v *directory.View, g *group.Group, u user.ID) bool {
	return Manages(v, g, u) || holdsOf(v, g, "can_add_members_group", u)
}

// Joins tells whether u may become a member of a group.
func Joins(v *directory.View, g *group.Group, u user.ID) bool {
	return AddsTo(v, g, u) || holdsOf(v, g, "can_join_group", u)
}

// RemovesFrom tells whether u may end others' membership of a group.
func RemovesFrom(v *directory.View, g *group.Group, u user.ID) bool {
	return Manages(v, g, u) || holdsOf(v, g, "can_remove_members_group", u)
}

// Leaves tells whether u may cease to be a member of a group.
func Leaves(v *directory.View, g *group.Group, u user.ID) bool {
	return RemovesFrom(v, g, u) || holdsOf(v, g, "can_leave_group", u)
}

// MentionsGroup tells whether u may mention a group so that its members are notified.
func MentionsGroup(v *directory.View, g *group.Group, u user.ID) bool {
	return g != nil && !g.Deactivated &&
		Allowed(v, group.OfGroup, "can_mention_group", g.Permissions["can_mention_group"], u)
}

func holdsOf(v *directory.View, g *group.Group, setting string, u user.ID) bool {
	return !g.System && Allowed(v, group.OfGroup, setting, g.Permissions[setting], u)
}

// Subgroups gives the groups within a group, at any depth, itself left out.
func Subgroups(v *directory.View, id group.ID) group.Set {
	one := group.Set{id}
	return v.Below(one).Minus(one)
}
