package accounts_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
)

func TestCreateUser(t *testing.T) {
	s := start(t)
	q := s.As("bob").Register("event_types", `["realm_user"]`)
	id := s.As("adam").Do("POST /users", "email", "new@example.com", "full_name", " New Person ", "password", "abc123def").
		Is(200, `{"result":"success","msg":"","user_id":"*"}`).Int("user_id")
	s.Events(fmt.Sprintf(`realm_user/add seeing:%d {"user_id":%d}`, id, id))
	same(t, "bob's events", q.Texts(), fmt.Sprintf(`{"op":"add","person":{"avatar_url":null,"avatar_version":1,`+
		`"date_joined":"2026-06-01T12:00+00:00",`+
		`"delivery_email":"new@example.com","email":"new@example.com","full_name":"New Person","is_active":true,`+
		`"is_admin":false,"is_bot":false,`+
		`"is_guest":false,"is_owner":false,"profile_data":{},"role":400,"timezone":"","user_id":%d},"type":"realm_user"}`,
		id))
	s.Anonymous().Do("POST /fetch_api_key", "username", "new@example.com", "password", "abc123def").OK()
	s.Skip()

	for _, c := range []struct{ email, name, password, msg string }{
		{"NEW@example.com", "Again", "abc123def", "already in use"},
		{"alice@example.com", "Again", "abc123def", "already in use"},
		{"user4@stoa.invalid", "Again", "abc123def", "already in use"}, // would read as an address that the server makes up
		{"nonsense", "Again", "abc123def", "valid email"},
		{"a@example.com", "", "abc123def", "Name"},
		{"a@example.com", "x@y", "abc123def", "Invalid characters"},
		{"a@example.com", strings.Repeat("x", 101), "abc123def", "too long"},
		{"a@example.com", "Again", "short", "too weak"},
		{"a@example.com", "Again", "", "too weak"},
		{"abcdefgh@example.com", "Again", "abcdefgh", "too weak"},
	} {
		s.As("adam").Do("POST /users", "email", c.email, "full_name", c.name, "password", c.password).Error(400,
			"BAD_REQUEST", c.msg)
	}
	s.As("adam").Do("POST /users", "email", "a@example.com", "password", "abc123def").Error(400,
		"REQUEST_VARIABLE_MISSING", "full_name")
	s.As("mona").Do("POST /users", "email", "a@example.com", "full_name", "A", "password", "abc123def").Error(400,
		"UNAUTHORIZED_PRINCIPAL", "administrator")
	s.NoEvents()
}

func TestCreateUserSwitchedOff(t *testing.T) {
	s := start(t, "admins_create_users: false")
	s.As("olga").Do("POST /users", "email", "a@example.com", "full_name", "A", "password", "abc123def").Error(400,
		"BAD_REQUEST", "not authorized")
}

func TestUniqueNames(t *testing.T) {
	s := start(t)
	create := func(email string) string {
		return s.As("adam").Do("POST /users", "email", email, "full_name", "ALICE", "password", "abc123def").Body
	}
	if got := create("a@example.com"); !strings.Contains(got, "success") {
		t.Errorf("names may repeat: %s", got)
	}
	s.As("adam").Do("PATCH /realm", "require_unique_names", "true").OK()
	if got := create("b@example.com"); !strings.Contains(got, "already in use") {
		t.Errorf("names may not repeat: %s", got)
	}
	s.As("adam").Do(path(s, "PATCH /users/%d", "bob"), "full_name", "alice").Error(400, "BAD_REQUEST", "already in use")
	s.As("bob").Do("PATCH /settings", "full_name", "Alice").Error(400, "BAD_REQUEST", "already in use")
	s.As("adam").Do(path(s, "PATCH /users/%d", "mona"), "full_name", "Renée Groß").OK()
	for _, name := range []string{"Ａｌｉｃｅ", "Ali\u200dce", "𝒜lice", "Rene\u0301e GROSS", "Renée  Groß",
		"Renée\u00a0 Groß"} {
		s.As("bob").Do("PATCH /settings", "full_name", name).Error(400, "BAD_REQUEST", "already in use")
	}
	for _, name := range []string{"Alice\u3164", "Alice\u2800", "Alice\u034f", "Alice\u115f", "\u3164", "\u2800",
		"\u115f"} {
		s.As("bob").Do("PATCH /settings", "full_name", name).Error(400, "BAD_REQUEST", "Invalid characters in name!")
	}
	s.As("bob").Do("PATCH /settings", "full_name", "Renee Gros").OK()
	s.As("adam").Do(path(s, "DELETE /users/%d", "mona")).OK()
	s.As("bob").Do("PATCH /settings", "full_name", "RENÉE GROSS").OK()
	s.As("adam").Do(path(s, "POST /users/%d/reactivate", "mona")).Error(400, "BAD_REQUEST", "already in use")
	s.As("bob").Do("PATCH /settings", "full_name", "Renee Gros").OK()
	s.As("adam").Do(path(s, "POST /users/%d/reactivate", "mona")).OK()
	for _, name := range []string{"Nina\u3164 Doe", "Nina Doe\u2800", "Nina\u034f Doe", "\u115f Nina Doe",
		"Ni\u00adna Doe", "Nina  Doe"} {
		rename(s, "mona", name) // older than the rules
		s.As("bob").Do("PATCH /settings", "full_name", "nina doe").Error(400, "BAD_REQUEST", "already in use")
	}
}

// rename gives somebody a name past the rules, as servers have done that were older than these.
func rename(s *kittest.Server, who, name string) {
	s.T.Helper()
	s.Do(func(ctx context.Context) error {
		_, err := s.App.DB().From(ctx).ExecContext(ctx, "UPDATE users SET full_name = ? WHERE id = ?", name, s.UserID(who))
		return err
	})
	s.Restart()
}

// Whoever has a name that is older than the rules keeps it, and can be changed otherwise.
func TestNamesOlderThanTheRules(t *testing.T) {
	s := start(t)
	const mona, bot = "Mo\u00adna", "Helper\u200f Bot"
	rename(s, "mona", mona)
	rename(s, "bot", bot)
	s.Skip()
	s.As("adam").Do(path(s, "PATCH /users/%d", "mona"), "full_name", " "+mona+" ", "role", "400").OK()
	s.Events(fmt.Sprintf(`realm_user/update seeing:mona {"person":{"user_id":%d,"role":400}}`, s.UserID("mona")))
	s.As("mona").Do("PATCH /settings", "full_name", mona).OK()
	s.As("alice").Do(path(s, "PATCH /users/%d", "bot"), "full_name", bot).OK()
	s.NoEvents()
	for who, had := range map[string]string{"mona": mona, "bot": bot} {
		if got := s.As("bob").Do(path(s, "GET /users/%d", who)).String("user.full_name"); got != had {
			t.Errorf("%s is called %q", who, got)
		}
	}
	s.As("mona").Do("PATCH /settings", "full_name", mona+"s").Error(400, "BAD_REQUEST", "Invalid characters in name!")
}

func TestUpdateUser(t *testing.T) {
	s := start(t)
	alice := s.UserID("alice")
	q := s.As("guest").Register("event_types", `["realm_user"]`)
	s.As("adam").Do(path(s, "PATCH /users/%d", "alice"), "full_name", " Alicia ", "role", "300").Is(200,
		`{"result":"success","msg":""}`)
	s.Events(
		fmt.Sprintf(`realm_user/update seeing:alice {"person":{"user_id":%d,"full_name":"Alicia"}}`, alice),
		fmt.Sprintf(`realm_user/update seeing:alice {"person":{"user_id":%d,"role":300}}`, alice))
	same(t, "guest's events", q.Texts(),
		fmt.Sprintf(`{"op":"update","person":{"full_name":"Alicia","user_id":%d},"type":"realm_user"}`, alice),
		fmt.Sprintf(`{"op":"update","person":{"role":300,"user_id":%d},"type":"realm_user"}`, alice))
	if got := s.As("bob").Do("GET /users/alice@example.com").Int("user.role"); got != 300 {
		t.Errorf("role is %d", got)
	}
	s.As("adam").Do("PATCH /users/alice@example.com", "full_name", "Alicia", "role", "300").OK() // as it is
	s.NoEvents()
	s.As("alice").Do(path(s, "PATCH /users/%d", "bot"), "full_name", "Robot").OK() // the bot's owner
	s.Events(fmt.Sprintf(`realm_user/update seeing:bot {"person":{"user_id":%d,"full_name":"Robot"}}`, s.UserID("bot")))

	for _, c := range []struct{ who, whom, name, value, code, msg string }{
		{"mona", "bob", "full_name", "X", "UNAUTHORIZED_PRINCIPAL", "administrator"},
		{"bob", "bob", "role", "100", "UNAUTHORIZED_PRINCIPAL", "administrator"},
		{"bob", "bot", "full_name", "X", "UNAUTHORIZED_PRINCIPAL", "administrator"},
		{"alice", "bot", "role", "200", "UNAUTHORIZED_PRINCIPAL", "administrator"}, // a bot's owner makes it no administrator
		{"guest", "guest", "full_name", "X", "BAD_REQUEST", "guest"},
		{"adam", "bob", "role", "100", "UNAUTHORIZED_PRINCIPAL", "owner"},
		{"adam", "olga", "role", "400", "UNAUTHORIZED_PRINCIPAL", "owner"},
		{"olga", "olga", "role", "400", "BAD_REQUEST", "only organization owner"},
		{"adam", "bob", "role", "500", "BAD_REQUEST", "Invalid role"},
		{"adam", "bob", "role", `"x"`, "BAD_REQUEST", "role is not an integer"},
		{"adam", "bob", "full_name", "a\x00b", "BAD_REQUEST", ""},
		{"olga", "bob", "new_email", "b@example.com", "BAD_REQUEST", "not authorized"},
	} {
		s.As(c.who).Do(path(s, "PATCH /users/%d", c.whom), c.name, c.value).Error(400, c.code, c.msg)
	}
	s.As("adam").Do("PATCH /users/999", "full_name", "X").Error(400, "BAD_REQUEST", "No such user")
	s.As("adam").Do("PATCH /users/notification-bot@stoa.invalid", "full_name", "X").Error(400, "BAD_REQUEST",
		"No such user")
	s.As("adam").Do(path(s, "PATCH /users/%d", "bob"), "full_name", "Robert", "role", "100").Error(400,
		"UNAUTHORIZED_PRINCIPAL", "owner")
	s.NoEvents() // not even the name
	s.As("olga").Do(path(s, "PATCH /users/%d", "bob"), "role", "100").OK()
	s.As("bob").Do(path(s, "PATCH /users/%d", "olga"), "role", "400").OK()
	s.Restart()
	if got := s.As("bob").Do("GET /users/olga@example.com").Int("user.role"); got != 400 {
		t.Errorf("after a restart the role is %d", got)
	}
}

func TestNewEmail(t *testing.T) {
	s := start(t, "change_emails: true")
	call := path(s, "PATCH /users/%d", "alice")
	s.As("adam").Do(call, "new_email", "alicia@example.com").Error(400, "UNAUTHORIZED_PRINCIPAL", "owner")
	s.As("olga").Do(call, "new_email", "bob@example.com").Error(400, "BAD_REQUEST", "already in use")
	s.As("olga").Do(call, "new_email", "alicia").Error(400, "BAD_REQUEST", "valid email")
	s.NoEvents()
	q := s.As("bob").Register("event_types", `["realm_user"]`)
	s.As("olga").Do(call, "new_email", "alicia@example.com").OK()
	got := q.Texts()
	id := s.UserID("alice")
	same(t, "bob's events", got[:2],
		fmt.Sprintf(`{"op":"update","person":{"delivery_email":"alicia@example.com","user_id":%d},"type":"realm_user"}`, id),
		fmt.Sprintf(`{"op":"update","person":{"new_email":"alicia@example.com","user_id":%d},"type":"realm_user"}`, id))
	if len(got) != 3 || !strings.Contains(got[2], `"avatar_url":null`) {
		t.Errorf("the picture changes with the address: %v", got)
	}
	s.WithKey("alicia@example.com", s.As("alice").Key()).Do("GET /users/me").OK()
	s.As("alice").Do("GET /users/me").Error(401, "UNAUTHORIZED", "")
}

// TestNobodyKeepsProfiles: without a module that keeps profiles there are no fields to fill in.
func TestNobodyKeepsProfiles(t *testing.T) {
	s := start(t)
	adam, path := s.As("adam"), path(s, "/users/%d", "alice")
	adam.Do("PATCH "+path, "profile_data", `[{"id":3,"value":"x"}]`, "full_name", "Alicia").Error(400, "BAD_REQUEST",
		"Field id 3 not found.")
	s.NoEvents()
	adam.Do("PATCH "+path, "profile_data", `[]`, "full_name", "Alicia").OK()
	adam.Do("GET "+path, "include_custom_profile_fields", "true").OK().Get("user.profile_data")
}
