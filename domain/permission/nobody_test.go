package permission_test

import (
	"testing"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/group"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/user"
)

// A setting that does not accept role:nobody accepts no value without users. A stored value stays valid when its groups
// become empty.
func TestSettingsThatIncludeUsers(t *testing.T) {
	const (
		hollow group.ID = group.FirstCustom + 50 + iota
		deep            // holds hollow and ended, whose members count
		shells          // holds hollow
		left            // gone
		guests
		bots
	)
	v := view()
	for _, g := range []group.Group{
		{ID: hollow, Name: "hollow"}, {ID: deep, Name: "deep", Subgroups: group.Set{hollow, ended}},
		{ID: shells, Name: "shells", Subgroups: group.Set{hollow}},
		{ID: left, Name: "left", Members: user.Set{gone}}, {ID: guests, Name: "guests", Members: user.Set{guest, lone}},
		{ID: bots, Name: "bots", Members: user.Set{bot}},
	} {
		v = v.Apply(v.Seq()+1, directory.OfGroup(nil, &g))
	}
	values := map[*group.Setting]bool{ // and whether they include a user
		{Group: hollow}: false, {Group: shells}: false, {Group: left}: false, {Group: guests}: false, {Group: bots}: false,
		{}: false,
		{Subgroups: group.Set{hollow, shells, left}}: false, {Members: user.Set{guest}}: false,
		{Members: user.Set{bot}, Subgroups: group.Set{hollow}}: false,
		{Members: user.Set{alice, guest}}:                      true, {Group: deep}: true, {Group: inner}: true,
		{Group: group.Owners}: true, {Group: group.Members}: true,
		{Members: user.Set{bot}, Subgroups: group.Set{group.Moderators, hollow}}: true,
	}
	for _, scope := range []group.Scope{group.OfRealm, group.OfStream, group.OfGroup} {
		for _, r := range permission.Settings(scope) {
			if r.System || r.Guarded || r.Never != 0 {
				continue
			}
			for value, includesUser := range values {
				err := permission.CheckSetting(v, scope, r.Name, *value)
				if want := "'" + r.Name + "' setting cannot be set to 'role:nobody' group."; !r.Nobody && !includesUser {
					if !errs.Is(err, errs.BadRequest) || err.Error() != want {
						t.Errorf("%s %s = %+v: %v, want %q", scope, r.Name, *value, err, want)
					}
				} else if err != nil {
					t.Errorf("%s %s = %+v: %v", scope, r.Name, *value, err)
				}
			}
		}
	}
	for _, name := range []string{"can_manage_all_groups", "can_manage_billing_group"} {
		if r, _ := permission.Rule(group.OfRealm, name); r.Nobody {
			t.Errorf("%s accepts nobody, so this tests nothing", name)
		}
		if err := permission.CheckUpdate(v, group.OfRealm, name, group.Named(hollow),
			group.Update{New: group.Named(hollow)}); err != nil {
			t.Errorf("the same value: %v", err)
		}
	}
}
