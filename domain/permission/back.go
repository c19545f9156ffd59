package permission

import (
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/group"
)

// What is archived or deactivated keeps no group from being deactivated, and what counts names no deactivated group. So
// that is asked of whatever comes back: of a channel that leaves the archive, and of a group that is reactivated.

// CheckNamed refuses permission settings that name a deactivated group. The values are those of all settings of the
// scope, by wire name, as they will be. Errors: BadRequest.
func CheckNamed(v *directory.View, s group.Scope, values map[string]group.Setting) error {
	for _, r := range group.Rules(s) {
		if g := ended(v, values[r.Name].Groups()); g != nil {
			return errs.Bad("User group is deactivated: '%s' names '%s'.", r.Name, g.Name)
		}
	}
	return nil
}

// CheckHeld refuses direct subgroups that are deactivated. Errors: BadRequest.
func CheckHeld(v *directory.View, subs group.Set) error {
	if g := ended(v, subs); g != nil {
		return errs.Bad("User group is deactivated: '%s' is a subgroup.", g.Name)
	}
	return nil
}

// ended gives the first of some groups that is deactivated, nil if none is.
func ended(v *directory.View, ids group.Set) *group.Group {
	for _, id := range ids {
		if g := v.Group(id); g != nil && g.Deactivated {
			return g
		}
	}
	return nil
}
