package permission

import (
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/group"
	"github.com/stoachat/stoa/domain/user"
)

// Manages reports whether u is allowed to change a group: rename it, set its permissions, deactivate it. System groups
// cannot be managed.
func Manages(v *directory.View, g *group.Group, u user.ID) bool {
	return !g.System && (Holds(v, u, "can_manage_all_groups") || holdsForGroup(v, g, "can_manage_group", u))
}

// AddsTo reports whether u is allowed to add others to a group.
func AddsTo(v *directory.View, g *group.Group, u user.ID) bool {
	return Manages(v, g, u) || holdsForGroup(v, g, "can_add_members_group", u)
}

// Joins reports whether u is allowed to join a group.
func Joins(v *directory.View, g *group.Group, u user.ID) bool {
	return AddsTo(v, g, u) || holdsForGroup(v, g, "can_join_group", u)
}

// RemovesFrom reports whether u is allowed to remove others from a group.
func RemovesFrom(v *directory.View, g *group.Group, u user.ID) bool {
	return Manages(v, g, u) || holdsForGroup(v, g, "can_remove_members_group", u)
}

// Leaves reports whether u is allowed to leave a group.
func Leaves(v *directory.View, g *group.Group, u user.ID) bool {
	return RemovesFrom(v, g, u) || holdsForGroup(v, g, "can_leave_group", u)
}

// MentionsGroup reports whether u is allowed to mention a group, which notifies its members.
func MentionsGroup(v *directory.View, g *group.Group, u user.ID) bool {
	return g != nil && !g.Deactivated &&
		Allowed(v, group.OfGroup, "can_mention_group", g.Permissions["can_mention_group"], u)
}

func holdsForGroup(v *directory.View, g *group.Group, setting string, u user.ID) bool {
	return !g.System && Allowed(v, group.OfGroup, setting, g.Permissions[setting], u)
}

// Subgroups returns the groups nested in a group at any depth, without the group itself.
func Subgroups(v *directory.View, id group.ID) group.Set {
	one := group.Set{id}
	return v.Below(one).Minus(one)
}
