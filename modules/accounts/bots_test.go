package accounts_test

import (
	"fmt"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/domain/group"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/ports"
)

// A bot comes back if who asks may make such bots, and with an owner who can answer for it.
func TestReactivateBots(t *testing.T) {
	s := start(t)
	by := user.Actor{Realm: s.Realm, System: true}
	ids := map[string]user.ID{}
	for _, b := range []struct {
		name, owner string
		typ         user.BotType
		role        user.Role
	}{{"hook", "alice", user.IncomingWebhook, user.Member}, {"mighty", "alice", user.GenericBot, user.Owner}, {"minister", "olga", user.GenericBot, user.Admin}} {
		id, err := s.Ports.Accounts.Create(t.Context(), by, ports.NewUser{
			Email: b.name + "-bot@example.com", FullName: b.name, Role: b.role, BotType: b.typ, BotOwner: s.UserID(b.owner),
		})
		if err != nil {
			t.Fatal(err)
		}
		ids[b.name] = id
	}
	ids["bot"] = s.UserID("bot")
	key, err := s.Ports.Accounts.IssueKey(t.Context(), by, ids["minister"])
	if err != nil {
		t.Fatal(err)
	}
	minister := s.WithKey("minister-bot@example.com", key)
	end := func(name string) {
		t.Helper()
		s.As("olga").Do(fmt.Sprintf("DELETE /users/%d", ids[name])).OK()
	}
	revive := func(c *kittest.Client, name string) *kittest.Answer {
		return c.Do(fmt.Sprintf("POST /users/%d/reactivate", ids[name]))
	}
	end("hook")
	end("bot")
	s.As("olga").Do("PATCH /realm", "can_create_bots_group", named(group.Nobody)).OK()
	s.Skip()
	revive(s.As("alice"), "bot").Error(400, "BAD_REQUEST", "Insufficient permission")
	revive(s.As("olga"), "bot").Error(400, "BAD_REQUEST", "Insufficient permission")
	revive(s.As("bob"), "hook").Error(400, "UNAUTHORIZED_PRINCIPAL", "administrator")
	s.NoEvents()
	revive(s.As("alice"), "hook").OK() // one that can only write
	end("hook")
	s.As("olga").Do("PATCH /realm", "can_create_write_only_bots_group", named(group.Nobody)).OK()
	revive(s.As("alice"), "hook").Error(400, "BAD_REQUEST", "Insufficient permission")
	s.As("olga").Do("PATCH /realm", "can_create_bots_group", named(group.Members)).OK()
	revive(s.As("alice"), "hook").OK()

	end("mighty")
	end("hook")
	s.As("olga").Do(path(s, "DELETE /users/%d", "alice")).OK()
	s.Skip()
	revive(s.As("adam"), "mighty").Error(400, "UNAUTHORIZED_PRINCIPAL", "owner") // or adam would have the key of an owner
	revive(minister, "hook").Error(400, "BAD_REQUEST", "Bots can't own bots.")
	s.NoEvents()
	revive(s.As("adam"), "hook").OK()
	if got := s.As("bob").Do(fmt.Sprintf("GET /users/%d", ids["hook"])).OK().Int("user.bot_owner_id"); got != int64(s.UserID("adam")) {
		t.Errorf("the owner is %d", got)
	}
	s.As("olga").Do(fmt.Sprintf("PATCH /users/%d", ids["minister"]), "full_name", "Helper Bot").OK() // the other is not active
	revive(s.As("adam"), "bot").Error(400, "BAD_REQUEST", "Name is already in use.")
}

func named(g group.ID) string { return kittest.JSON(map[string]group.ID{"new": g}) }
