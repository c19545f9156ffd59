package groups_test

import (
	"fmt"
	"testing"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/accounts"
	"github.com/stoachat/stoa/modules/groups"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/realm"
	"github.com/stoachat/stoa/ports"
)

// TestPort checks that a module can create a group and change its members as someone who may do so.
func TestPort(t *testing.T) {
	var port ports.Groups
	s := kittest.Start(t, realm.Module, accounts.Module, groups.Module, kit.Define("teams", "Creates groups.", kit.None{},
		func(_ kit.None, n struct {
			fx.In
			Groups ports.Groups
		}) (kit.Parts, error) {
			port = n.Groups
			return kit.Parts{}, nil
		}))
	as := func(name string, role user.Role) user.Actor {
		return user.Actor{Realm: s.Realm, User: s.UserID(name), Role: role}
	}
	alice, bob, guest := as("alice", user.Member), as("bob", user.Member), as("guest", user.Guest)
	s.Skip()
	id, err := port.Create(t.Context(), alice, ports.NewGroup{Name: "team", Members: []user.ID{alice.User}})
	if err != nil {
		t.Fatal(err)
	}
	if err := port.ChangeMembers(t.Context(), alice, id, []user.ID{bob.User}, []user.ID{alice.User}); err != nil {
		t.Fatal(err)
	}
	s.Events(`user_group/add everyone`,
		fmt.Sprintf(`user_group/add_members everyone {"group_id":%d,"user_ids":[%d]}`, id, bob.User),
		fmt.Sprintf(`user_group/remove_members everyone {"group_id":%d,"user_ids":[%d]}`, id, alice.User))
	for want, err := range map[string]error{
		"Insufficient permission":     port.ChangeMembers(t.Context(), bob, id, []user.ID{alice.User}, nil),
		"Not allowed for guest users": port.ChangeMembers(t.Context(), guest, id, []user.ID{guest.User}, nil),
	} {
		if err == nil || err.Error() != want {
			t.Errorf("%v, not %s", err, want)
		}
	}
	s.NoEvents()
}
