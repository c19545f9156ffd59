package permission

import (
	"maps"
	"slices"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/declared"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/group"
)

// A group can be deactivated although archived channels or deactivated groups name it. Active ones never name a
// deactivated group. Unarchiving a channel and reactivating a group therefore check this again.

// CheckNamed checks that permission settings name no deactivated group. values holds the new values of all settings of
// the scope by wire name. Errors: BadRequest.
func CheckNamed(v *directory.View, s group.Scope, values map[string]group.Setting) error {
	for _, r := range group.Rules(s) {
		if err := checkNamed(v, r.Name, values[r.Name]); err != nil {
			return err
		}
	}
	return nil
}

// CheckNamedIn is CheckNamed for the permissions in a channel that modules declare.
func CheckNamedIn(v *directory.View, c channel.ID) error {
	values := declared.In(v).Groups(declared.OfChannel, int64(c))
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if err := checkNamed(v, name, values[name]); err != nil {
			return err
		}
	}
	return nil
}

func checkNamed(v *directory.View, setting string, value group.Setting) error {
	if g := firstDeactivated(v, value.Groups()); g != nil {
		return errs.Bad("User group is deactivated: '%s' names '%s'.", setting, g.Name)
	}
	return nil
}

// CheckSubgroups checks that no direct subgroup is deactivated. Errors: BadRequest.
func CheckSubgroups(v *directory.View, subs group.Set) error {
	if g := firstDeactivated(v, subs); g != nil {
		return errs.Bad("User group is deactivated: '%s' is a subgroup.", g.Name)
	}
	return nil
}

// firstDeactivated returns the first deactivated group, nil if there is none.
func firstDeactivated(v *directory.View, ids group.Set) *group.Group {
	for _, id := range ids {
		if g := v.Group(id); g != nil && g.Deactivated {
			return g
		}
	}
	return nil
}
