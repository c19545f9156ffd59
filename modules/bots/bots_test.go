package bots_test

import (
	"fmt"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
)

// TestBotsManageBots checks that bots manage bots like users with the same role, but never themselves, and own none.
func TestBotsManageBots(t *testing.T) {
	s := start(t, kittest.Memory)
	m, mighty := makeBot(s, "bob", "helper"), makeBot(s, "olga", "mighty")
	self := func(call string) string { return fmt.Sprintf(call, s.UserID("bot")) }
	s.As("olga").Do(mighty.path("PATCH /bots/%d"), "role", "100").OK()
	calls := []string{
		"PATCH /bots/%d", "DELETE /bots/%d", "GET /bots/%d/api_key", "POST /bots/%d/api_key/regenerate",
	}
	refuse := func(call, code, msg string, params ...string) {
		t.Helper()
		s.As("bot").Do(call, params...).Error(400, code, msg)
	}
	s.Skip()
	for _, call := range calls { // as a member
		refuse(m.path(call), "BAD_REQUEST", "Insufficient permission")
		refuse(self(call), "BAD_REQUEST", "Insufficient permission")
	}
	s.NoEvents()

	s.As("olga").Do(self("PATCH /bots/%d"), "role", "200").OK()
	s.Skip()
	s.As("bot").Do("GET /bots").Is(200, `{"result":"success","msg":"","bots":[]}`)
	refuse("POST /bots", "BAD_REQUEST", "This endpoint does not accept bot requests.", "full_name", "X", "short_name", "x")
	for _, call := range calls { // as an administrator
		refuse(mighty.path(call), "UNAUTHORIZED_PRINCIPAL", "Must be an organization owner")
		refuse(self(call), "BAD_REQUEST", "Insufficient permission")
	}
	refuse(self("PATCH /bots/%d"), "BAD_REQUEST", "Insufficient permission", "role", "100")
	refuse(m.path("PATCH /bots/%d"), "UNAUTHORIZED_PRINCIPAL", "Must be an organization owner", "role", "100")
	refuse(m.path("PATCH /bots/%d"), "BAD_REQUEST", "Bots can't own bots.", "bot_owner_id", fmt.Sprint(s.UserID("bot")))
	s.NoEvents()

	s.As("bot").Do(m.path("PATCH /bots/%d"), "full_name", "Renamed", "role", "300").OK()
	if got := s.As("bot").Do(m.path("GET /bots/%d/api_key")).OK().String("api_key"); got != m.key {
		t.Errorf("the key is %q, want %q", got, m.key)
	}
	m.key = s.As("bot").Do(m.path("POST /bots/%d/api_key/regenerate")).OK().String("api_key")
	if me := m.client().Do("GET /users/me").OK(); me.String("full_name") != "Renamed" || me.Int("role") != 300 {
		t.Errorf("the bot is %s", me.Body)
	}
	s.As("bot").Do(m.path("DELETE /bots/%d")).OK()
	m.client().Do("GET /users/me").Error(401, "UNAUTHORIZED", "")
}
