package groups_test

import (
	"fmt"
	"testing"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/group"
	"github.com/stoachat/stoa/domain/user"
)

// Other modules add members to groups through ports.Members.
func TestAddMembers(t *testing.T) {
	s := start(t)
	one := create(t, s, "one", "members", ids(s, "alice"))
	two := create(t, s, "two", "members", "[]")
	ended := create(t, s, "ended", "members", "[]")
	s.As("alice").Do(fmt.Sprintf("POST /user_groups/%d/deactivate", ended)).OK()
	s.Skip()
	add := func(by user.Actor, gs []int64, us ...user.ID) error {
		var to []group.ID
		for _, g := range gs {
			to = append(to, group.ID(g))
		}
		return s.Ports.Members.AddMembers(t.Context(), by, to, us)
	}
	alice, bob, guest := s.UserID("alice"), s.UserID("bob"), s.UserID("guest")
	server := user.Actor{Realm: s.Realm, System: true}
	for name, err := range map[string]error{
		"missing":          add(server, []int64{two, 9999}, bob),
		"deactivated":      add(server, []int64{two, ended}, bob),
		"of a role":        add(server, []int64{two, int64(group.Members)}, bob),
		"another user's":   add(s.Actor("bob"), []int64{two}, bob),
		"missing user":     add(server, []int64{two}, 9999),
		"one missing user": add(server, []int64{two}, bob, 0),
	} {
		if !errs.Is(err, errs.BadRequest) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, err := range map[string]error{
		"nothing to do": add(server, nil, bob), "no users": add(server, []int64{two}),
		"no change": add(s.Actor("alice"), []int64{one}, alice),
	} {
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	s.NoEvents()
	if err := add(s.Actor("alice"), []int64{two, one, two}, guest, alice, bob); err != nil {
		t.Fatal(err)
	}
	s.Events(
		fmt.Sprintf(`user_group/add_members everyone {"group_id":%d,"user_ids":%s}`, one, ids(s, "bob", "guest")),
		fmt.Sprintf(`user_group/add_members everyone {"group_id":%d,"user_ids":%s}`, two, ids(s, "alice", "bob", "guest")),
	)
	s.Restart() // reload from the database
	for _, g := range []int64{one, two} {
		s.As("bob").Do(fmt.Sprintf("GET /user_groups/%d/members", g)).Is(200,
			fmt.Sprintf(`{"result":"success","msg":"","members":%s}`, ids(s, "alice", "bob", "guest")))
	}
}
