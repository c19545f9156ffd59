package profilefields_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
)

// restrict lets guests see only users with whom they share a channel: the guest sees alice, bob and olga, but not adam
// and mona.
func restrict(s *kittest.Server) {
	s.T.Helper()
	s.As("olga").Do("PATCH /realm", "can_access_all_users_group", `{"new":6}`).OK()
}

func TestHiddenUsersAreNotRevealed(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		s := start(t, url)
		text, friends := add(s, 1, "Text"), add(s, 6, "Friends")
		restrict(s)
		guest, bob := s.As("guest").Register("event_types", `["realm_user"]`),
			s.As("bob").Register("event_types", `["realm_user"]`)
		setValues(s, "mona", text, `"mona's secret"`).OK()
		setValues(s, "alice", text, `"open"`).OK()
		bob.Is(valueEvent(s, "mona", text, `"mona's secret"`, "<p>mona's secret</p>"),
			valueEvent(s, "alice", text, `"open"`, "<p>open</p>"))
		guest.Is(valueEvent(s, "alice", text, `"open"`, "<p>open</p>"))
		for _, call := range []string{"GET /users?include_custom_profile_fields=true",
			fmt.Sprintf("GET /users?include_custom_profile_fields=true&user_ids=[%d]", s.UserID("mona"))} {
			if a := s.As("guest").Do(call).OK(); strings.Contains(a.Body, "secret") {
				t.Errorf("%s: %s", call, a.Body)
			}
		}
		for _, capabilities := range []string{`{}`, `{"user_list_incomplete":true}`} {
			a := s.As("guest").Do("POST /register", "fetch_event_types", `["realm_user"]`, "client_capabilities",
				capabilities).OK()
			if strings.Contains(a.Body, "secret") || !strings.Contains(a.Body, "open") {
				t.Errorf("register with %s: %s", capabilities, a.Body)
			}
		}
		s.As("guest").Do(fmt.Sprintf("GET /users/%d", s.UserID("mona")), "include_custom_profile_fields", "true").Error(400,
			"BAD_REQUEST", "No such user")

		// Values can contain only users whom the author can see. Hidden and missing users get the same error.
		s.Skip()
		setValues(s, "guest", friends, fmt.Sprintf("[%d]", s.UserID("mona"))).Error(400, "BAD_REQUEST",
			fmt.Sprintf("Invalid user ID: %d", s.UserID("mona")))
		setValues(s, "guest", friends, "[99999]").Error(400, "BAD_REQUEST", "Invalid user ID: 99999")
		s.NoEvents()
		setValues(s, "guest", friends, fmt.Sprintf("[%d]", s.UserID("alice"))).OK()
	})
}

func TestRemovedChoices(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		s := start(t, url)
		color, other := add(s, 3, "Color", "field_data", list), add(s, 3, "Other", "field_data", list)
		restrict(s)
		for who, value := range map[string]string{"alice": "r", "bob": "g", "mona": "g", "adam": "g", "olga": "g"} {
			setValues(s, who, color, `"`+value+`"`, other, `"g"`).OK()
		}
		s.As("adam").Do(fmt.Sprintf("DELETE /users/%d", s.UserID("olga"))).Error(400, "UNAUTHORIZED_PRINCIPAL", "")
		guest, alice := s.As("guest").Register("event_types", `["realm_user"]`),
			s.As("alice").Register("event_types", `["realm_user","custom_profile_fields"]`)
		s.Skip()
		patch(s, color, "field_data", `{"r":{"text":"Crimson","order":"1"},"b":{"text":"Blue","order":"3"}}`).OK()

		// One event about the users whom the guest sees, one about those whom only others see; then the options.
		s.Events("realm_user/update seeing:bob", "realm_user/update seeing:adam", "custom_profile_fields everyone")
		gone := func(who string) string { return valueEvent(s, who, color, "null", "") }
		guest.Is(gone("bob"), gone("olga"))
		a := s.As("bob").Do("GET /realm/profile_fields").OK()
		alice.Is(gone("bob"), gone("olga"), gone("adam"), gone("mona"),
			`{"fields":`+text(a.Get("custom_fields"))+`,"type":"custom_profile_fields"}`)
		for who, want := range map[string]string{
			"alice": fmt.Sprintf(`{"%d":{"value":"r"},"%d":{"value":"g"}}`, color, other),
			"bob":   fmt.Sprintf(`{"%d":{"value":"g"}}`, other),
			"mona":  fmt.Sprintf(`{"%d":{"value":"g"}}`, other), "adam": fmt.Sprintf(`{"%d":{"value":"g"}}`, other),
		} {
			if got := profile(s, "bob", who); got != want {
				t.Errorf("%s: %s, want %s", who, got, want)
			}
		}
		setValues(s, "bob", color, `"g"`).Error(400, "BAD_REQUEST", "'g' is not a valid choice for 'Color'.")

		// Removing an option that nobody has chosen produces no profile event.
		s.Skip()
		patch(s, color, "field_data", `{"r":{"text":"Crimson","order":"1"}}`).OK()
		s.Events("custom_profile_fields everyone")
	})
}

func TestRemovedFieldRemovesValues(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		s := start(t, url)
		a, b := add(s, 1, "A"), add(s, 5, "B")
		setValues(s, "alice", a, `"x"`, b, `"https://b.example"`).OK()
		setValues(s, "guest", a, `"y"`).OK()
		s.Skip()
		s.As("adam").Do(fmt.Sprintf("DELETE /realm/profile_fields/%d", a)).OK()
		s.Events("custom_profile_fields everyone")
		if got, want := profile(s, "bob", "alice"), fmt.Sprintf(`{"%d":{"value":"https://b.example"}}`, b); got != want {
			t.Errorf("alice: %s, want %s", got, want)
		}
		if got := profile(s, "bob", "guest"); got != "{}" {
			t.Errorf("guest: %s", got)
		}
		setValues(s, "alice", a, `"z"`).Error(400, "BAD_REQUEST", "not found")
		again := add(s, 1, "A")
		if got := profile(s, "bob", "guest"); got != "{}" || again == a {
			t.Errorf("a field of the same name has %s for guest", got)
		}
	})
}

// TestBotsHaveNone checks that bots never have the key profile_data, and that users have it only if profiles are
// requested.
func TestBotsHaveNone(t *testing.T) {
	s := start(t, "")
	add(s, 1, "A")
	for _, call := range []string{
		fmt.Sprintf("GET /users/%d?include_custom_profile_fields=true", s.UserID("bot")),
		fmt.Sprintf("GET /users/%d", s.UserID("alice")),
	} {
		if s.As("bob").Do(call).OK().Has("user.profile_data") {
			t.Errorf("%s returned a profile", call)
		}
	}
	if s.As("bot").Do("GET /users/me").OK().Has("profile_data") {
		t.Error("a bot has a profile")
	}
	if a := s.As("bob").Do("GET /users").OK(); strings.Contains(a.Body, "profile_data") {
		t.Errorf("profiles that were not requested: %s", a.Body)
	}
}

// TestNewcomers checks that the event about a new user contains the profile at the time of delivery.
func TestNewcomers(t *testing.T) {
	s := start(t, "")
	a := add(s, 1, "A")
	q := s.As("bob").Register("event_types", `["realm_user"]`)
	id := s.As("adam").Do("POST /users", "email", "nina@example.com", "full_name", "Nina", "password",
		kittest.Password).OK().Int("user_id")
	s.As("adam").Do(fmt.Sprintf("PATCH /users/%d", id), "profile_data", data(a, `"new"`)).OK()
	var res struct {
		Events []struct {
			Op     string
			Person struct {
				UserID  int64                        `json:"user_id"`
				Profile map[string]map[string]string `json:"profile_data"`
				Field   map[string]any               `json:"custom_profile_field"`
			}
		}
	}
	q.Take().JSON(&res)
	if len(res.Events) != 2 || res.Events[0].Op != "add" ||
		res.Events[0].Person.Profile[fmt.Sprint(a)]["value"] != "new" ||
		res.Events[1].Op != "update" || res.Events[1].Person.Field["value"] != "new" {
		t.Errorf("bob received %+v", res.Events)
	}
}
