package access_test

import (
	"fmt"

	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/ports"
)

// people returns accounts to act on. If the action cannot be undone, each is a new account.
func people() *family {
	f := &family{
		name: "person", make: makePerson, sees: cell.seesPerson,
		missing: map[string]string{"id": "987654321", "user_id": "987654321", "muted_user_id": "987654321",
			"mail": "nobody@proof.example.com"},
	}
	for _, kind := range []string{"self", "met", "not met", "met guest", "administrator", "owner",
		"a bot of the bot owner", "a bot of olga", "deactivated"} {
		f.variants = append(f.variants, variant{kind: kind, each: kind == "self"})
	}
	return f
}

func makePerson(w *fixture, v variant, who []*caller) object {
	w.t.Helper()
	as := func(id user.ID, mail string) object {
		n := fmt.Sprint(id)
		return object{map[string]string{"id": n, "user_id": n, "muted_user_id": n, "mail": mail}}
	}
	if v.kind == "self" {
		if !who[0].inRealm() {
			return as(w.olga.id, w.olga.mail)
		}
		return as(who[0].id, who[0].mail)
	}
	name := w.fresh()
	n := ports.NewUser{Email: name + "@proof.example.com", FullName: name, Role: user.Member}
	switch v.kind {
	case "met guest":
		n.Role = user.Guest
	case "administrator":
		n.Role = user.Admin
	case "owner":
		n.Role = user.Owner
	case "a bot of the bot owner":
		n.BotType, n.BotOwner = user.GenericBot, w.called("bot owner").id
	case "a bot of olga":
		n.BotType, n.BotOwner = user.GenericBot, w.olga.id
	}
	id, err := w.s.Ports.Accounts.Create(w.t.Context(), user.Actor{Realm: w.s.Realm, System: true, Client: "proof"}, n)
	w.must(err)
	if v.kind == "met" || v.kind == "met guest" {
		w.do("POST /users/me/subscriptions", "subscriptions", `[{"name":"lobby"}]`, "principals", fmt.Sprintf("[%d]", id))
	}
	if v.kind == "deactivated" {
		w.do(fmt.Sprintf("DELETE /users/%d", id))
	}
	return as(id, n.Email)
}

// seesPerson is the rule for access to users: restricted guests can access themselves, bots, and users who share a
// channel with them.
func (x cell) seesPerson() bool {
	if x.c.spectator { // spectators can access all users unless guests are restricted
		return true
	}
	if !x.c.inRealm() {
		return false
	}
	switch x.v.kind {
	case "not met", "administrator", "owner", "deactivated":
		return !x.c.restricted
	}
	return true
}
