package permission_test

import (
	"testing"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/group"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/user"
)

func TestCheckNamedAndSubgroups(t *testing.T) {
	v := view()
	all := func(scope group.Scope) map[string]group.Setting { // the defaults
		values := map[string]group.Setting{}
		for _, r := range permission.Settings(scope) {
			values[r.Name] = permission.Default(r, alice)
		}
		return values
	}
	for _, scope := range []group.Scope{group.OfRealm, group.OfStream, group.OfGroup} {
		for _, r := range permission.Settings(scope) {
			for _, c := range []struct {
				value group.Setting
				ok    bool
			}{
				{group.Named(inner), true},
				{group.Named(group.Nobody), true},
				// Deactivated users are allowed; clients do not see them.
				{group.Setting{Members: user.Set{alice, gone}, Subgroups: group.Set{inner, outer}}, true},
				{group.Setting{Members: user.Set{gone}}, true},
				{group.Named(ended), false},
				{group.Setting{Members: user.Set{alice}, Subgroups: group.Set{ended}}, false},
				{group.Setting{Subgroups: group.Set{inner, ended}}, false},
			} {
				values := all(scope)
				values[r.Name] = c.value
				want := ""
				if !c.ok {
					want = "User group is deactivated: '" + r.Name + "' names 'ended'."
				}
				err := permission.CheckNamed(v, scope, values)
				if c.ok && err != nil || !c.ok && (!errs.Is(err, errs.BadRequest) || err.Error() != want) {
					t.Errorf("%s %s = %+v: %v, want %q", scope, r.Name, c.value, err, want)
				}
			}
		}
	}
	for _, ok := range []group.Set{nil, {group.Members, inner}} {
		if err := permission.CheckSubgroups(v, ok); err != nil {
			t.Errorf("%v: %v", ok, err)
		}
	}
	err := permission.CheckSubgroups(v, group.Set{inner, ended})
	if want := "User group is deactivated: 'ended' is a subgroup."; !errs.Is(err, errs.BadRequest) || err.Error() != want {
		t.Errorf("%v, want %q", err, want)
	}
}
