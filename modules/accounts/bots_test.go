package accounts_test

import (
	"fmt"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/domain/group"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/ports"
)

// Reactivating a bot requires permission to create such a bot, and a user who can own it.
func TestReactivateBots(t *testing.T) {
	s := start(t)
	by := user.Actor{Realm: s.Realm, System: true}
	ids := map[string]user.ID{}
	for _, b := range []struct {
		name, owner string
		typ         user.BotType
		role        user.Role
	}{{"hook", "alice", user.IncomingWebhook, user.Member}, {"mighty", "alice", user.GenericBot, user.Owner},
		{"minister", "olga", user.GenericBot, user.Admin}} {
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
	revive := func(c *kittest.Client, name string) *kittest.Response {
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
	revive(s.As("alice"), "hook").OK() // a write-only bot
	end("hook")
	s.As("olga").Do("PATCH /realm", "can_create_write_only_bots_group", named(group.Nobody)).OK()
	revive(s.As("alice"), "hook").Error(400, "BAD_REQUEST", "Insufficient permission")
	s.As("olga").Do("PATCH /realm", "can_create_bots_group", named(group.Members)).OK()
	revive(s.As("alice"), "hook").OK()

	end("mighty")
	end("hook")
	s.As("olga").Do(path(s, "DELETE /users/%d", "alice")).OK()
	s.Skip()
	revive(s.As("adam"), "mighty").Error(400, "UNAUTHORIZED_PRINCIPAL", "owner") // otherwise adam would get an owner's key
	revive(minister, "hook").Error(400, "BAD_REQUEST", "Bots can't own bots.")
	s.NoEvents()
	revive(s.As("adam"), "hook").OK()
	if got := s.As("bob").Do(fmt.Sprintf("GET /users/%d",
		ids["hook"])).OK().Int("user.bot_owner_id"); got != int64(s.UserID("adam")) {
		t.Errorf("the owner is %d", got)
	}
	// The other bot is deactivated.
	s.As("olga").Do(fmt.Sprintf("PATCH /users/%d", ids["minister"]), "full_name", "Helper Bot").OK()
	revive(s.As("adam"), "bot").Error(400, "BAD_REQUEST", "Name is already in use.")
}

// When a user is demoted, their bots are demoted, too, active or not, because the user can read their keys. Nothing
// else changes, and bots do not regain a higher role automatically.
func TestDemotedBots(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		s := startOn(t, url)
		by := user.Actor{Realm: s.Realm, System: true}
		ids := map[string]user.ID{}
		for _, b := range []struct {
			name, owner string
			role        user.Role
		}{{"owns", "adam", user.Owner}, {"rules", "adam", user.Admin}, {"helps", "adam", user.Member},
			{"sleeps", "adam", user.Admin}, {"other", "alice", user.Admin}} {
			id, err := s.Ports.Accounts.Create(t.Context(), by, ports.NewUser{
				Email: b.name + "-bot@example.com", FullName: b.name, Role: b.role, BotType: user.GenericBot,
				BotOwner: s.UserID(b.owner),
			})
			if err != nil {
				t.Fatal(err)
			}
			ids[b.name] = id
		}
		roles := func(want string) {
			t.Helper()
			got := ""
			for _, name := range []string{"owns", "rules", "helps", "sleeps", "other"} {
				got += fmt.Sprint(s.As("bob").Do(fmt.Sprintf("GET /users/%d", ids[name])).OK().Int("user.role"), " ")
			}
			if got != want {
				t.Errorf("the roles are %s, want %s", got, want)
			}
		}
		role := func(who string, r user.Role) {
			t.Helper()
			s.As("olga").Do(path(s, "PATCH /users/%d", who), "role", fmt.Sprint(r)).OK()
		}
		changed := func(id user.ID, r user.Role) string {
			return fmt.Sprintf(`{"op":"update","person":{"role":%d,"user_id":%d},"type":"realm_user"}`, r, id)
		}
		s.As("olga").Do(fmt.Sprintf("DELETE /users/%d", ids["sleeps"])).OK()
		q := s.As("bob").Register("event_types", `["realm_user"]`)
		role("adam", user.Owner)
		roles("100 200 400 200 200 ")
		role("alice", user.Moderator) // promotions leave bots unchanged
		roles("100 200 400 200 200 ")
		q.Texts()
		role("adam", user.Moderator)
		roles("300 300 400 300 200 ")
		same(t, "bob's events", q.Texts(), changed(s.UserID("adam"), 300), changed(ids["owns"], 300),
			changed(ids["rules"], 300), changed(ids["sleeps"], 300))
		s.Restart()
		roles("300 300 400 300 200 ")
		role("adam", user.Owner)
		roles("300 300 400 300 200 ")
		role("adam", user.Guest)
		roles("600 600 600 600 200 ")
		role("adam", user.Admin)
		roles("600 600 600 600 200 ")

		s.As("alice").Do(fmt.Sprintf("DELETE /users/%d", ids["other"])).OK() // alice could not grant its role
		s.As("alice").Do(fmt.Sprintf("POST /users/%d/reactivate", ids["other"])).Error(400, "UNAUTHORIZED_PRINCIPAL",
			"Must be an organization administrator")
		s.As("adam").Do(fmt.Sprintf("POST /users/%d/reactivate", ids["other"])).OK()
		roles("600 600 600 600 200 ")
	})
}

func named(g group.ID) string { return kittest.JSON(map[string]group.ID{"new": g}) }
