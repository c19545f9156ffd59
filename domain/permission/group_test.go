package permission_test

import (
	"testing"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/group"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/user"
)

func TestGroupPermissions(t *testing.T) {
	v := view()
	only := func(u user.ID) group.Setting { return group.Setting{Members: user.Set{u}} }
	g := &group.Group{ID: 200, Permissions: map[string]group.Setting{
		"can_manage_group": only(alice), "can_add_members_group": only(bob), "can_join_group": only(mona),
		"can_remove_members_group": only(bot), "can_leave_group": group.Named(group.Everyone),
		"can_mention_group": group.Named(group.Members),
	}}
	type rule = func(*directory.View, *group.Group, user.ID) bool
	for name, c := range map[string]struct {
		may  rule
		want []user.ID
	}{
		"manage":  {permission.Manages, []user.ID{olga, alice}}, // owners manage all groups by default
		"add":     {permission.AddsTo, []user.ID{olga, alice, bob}},
		"join":    {permission.Joins, []user.ID{olga, alice, bob, mona}},
		"remove":  {permission.RemovesFrom, []user.ID{olga, alice, bot}},
		"leave":   {permission.Leaves, []user.ID{olga, adam, mona, alice, bob, guest, bot, lone}},
		"mention": {permission.MentionsGroup, []user.ID{olga, adam, mona, alice, bob, bot}},
	} {
		for _, id := range []user.ID{olga, adam, mona, alice, bob, guest, gone, bot, lone} {
			want := false
			for _, w := range c.want {
				want = want || w == id
			}
			if got := c.may(v, g, id); got != want {
				t.Errorf("%s: user %d %v, want %v", name, id, got, want)
			}
		}
	}
	for _, may := range []rule{permission.Manages, permission.AddsTo, permission.Joins, permission.RemovesFrom,
		permission.Leaves} {
		if may(v, v.Group(group.Members), olga) {
			t.Error("a system group can be changed")
		}
	}
	g.Deactivated = true
	if permission.MentionsGroup(v, g, alice) {
		t.Error("a deactivated group can be mentioned")
	}
}
