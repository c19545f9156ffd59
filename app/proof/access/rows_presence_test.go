package access_test

import (
	"fmt"

	"github.com/stoachat/stoa/domain/user"
)

func presenceTable() table {
	// present returns users who have been active.
	present := *people()
	present.name, present.variants = "user with presence", nil
	for _, v := range people().variants {
		if v.kind == "self" || v.kind == "met" || v.kind == "not met" || v.kind == "met guest" {
			present.variants = append(present.variants, v)
		}
	}
	present.make = func(w *fixture, v variant, who []*caller) object {
		o := makePerson(w, v, who)
		if v.kind == "self" {
			if who[0].inRealm() && who[0].bot == user.Human {
				w.ask(who[0], "POST /users/me/presence", "status", "active").OK()
			}
			return o
		}
		var id user.ID
		_, err := fmt.Sscan(o.fields["id"], &id)
		w.must(err)
		key, err := w.s.Ports.Accounts.IssueKey(w.t.Context(), user.Actor{Realm: w.s.Realm, System: true}, id)
		w.must(err)
		w.ask(&caller{at: w.s.WithKey(o.fields["mail"], key)}, "POST /users/me/presence", "status", "active").OK()
		return o
	}
	absent := *people()
	absent.variants = absent.variants[1:] // without the caller
	sees := func(x cell) bool { return x.seesPerson() && (x.v.kind != "self" || x.c.bot == user.Human) }
	return table{"presence", "When users were active.", []*row{
		{route: "POST /users/me/presence", rule: "Users other than bots.", who: humans, with: []string{"status", "active"}},
		{route: "GET /realm/presence", rule: "Users.", who: users},
		{route: "GET /users/:user_id/presence", rule: "Users, for users whom they may see.", who: users, on: &present,
			may: sees},
		{route: "GET /users/:user_id/presence", name: "by address", rule: "Users, for users whom they may see.", who: users,
			on: &present, may: sees, call: "GET /users/:mail/presence"},
		{route: "GET /users/:user_id/presence", name: "of others",
			rule: "No one, for users without presence, bots and deactivated users.", who: users, on: &absent,
			may: func(cell) bool { return false }, call: "GET /users/:mail/presence"},
	}}
}
