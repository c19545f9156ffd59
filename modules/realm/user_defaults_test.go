package realm_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/domain/user"
)

// encodeParam encodes a value as a parameter; strings are sent as they are.
func encodeParam(v any) string {
	if text, ok := v.(string); ok {
		return text
	}
	return kittest.JSON(v)
}

// candidates returns values to try for a setting with the given default.
func candidates(def any) []any {
	switch def := def.(type) {
	case bool:
		return []any{!def, def}
	case int:
		return []any{-1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 16, 64, 65, 79, 80, 300, 301, 604800, 604801, def}
	}
	return []any{"", "x", "de", "recent", "all_messages", "twitter", "text", "always", "never", "none", "ding", def}
}

// TestUserDefaults checks accepted values, permissions and events of every default setting, and that new users get it.
func TestUserDefaults(t *testing.T) {
	s := startAll(t)
	followers := []*follower{follow(s, "alice"), follow(s, "guest")}
	want := map[string]any{}
	for _, r := range user.Rows() {
		if r.Name == "timezone" {
			s.As("olga").Do("PATCH /realm/user_settings_defaults", "timezone", "Europe/Athens").
				Is(200, `{"result":"success","msg":"","ignored_parameters_unsupported":["timezone"]}`)
			s.NoEvents()
			continue
		}
		other := any(nil) // a value that is not the default
		for _, v := range candidates(r.Default) {
			a := s.As("adam").Do("PATCH /realm/user_settings_defaults", r.Name, encodeParam(v))
			if r.Check != nil && r.Check(r.Name, v) != nil {
				a.Error(400, "BAD_REQUEST", "")
				s.NoEvents()
				continue
			}
			a.Is(200, `{"result":"success","msg":""}`)
			if log := s.Log(); len(log) > 1 || len(log) == 1 &&
				string(log[0].Payload) != fmt.Sprintf(`{"property":%q,"value":%s}`, r.Name, kittest.JSON(v)) {
				t.Errorf("%s = %v: %v", r.Name, v, log)
			}
			if v != r.Default {
				other = v
			}
		}
		for _, f := range followers {
			f.applyEvents()
			f.check(t, r.Name)
		}
		if other == nil {
			t.Errorf("%s never had a value other than %v", r.Name, r.Default)
			continue
		}
		for _, who := range []string{"mona", "alice", "guest", "bot"} {
			s.As(who).Do("PATCH /realm/user_settings_defaults", r.Name, encodeParam(other)).Error(400, "UNAUTHORIZED_PRINCIPAL",
				"administrator")
		}
		s.NoEvents()
		want[r.Name] = other
		s.As("adam").Do("PATCH /realm/user_settings_defaults", r.Name, encodeParam(other)).OK()
		s.Skip()
	}
	s.As("adam").Do("PATCH /realm/user_settings_defaults", "enter_sends", "false", "color_scheme", "9").Error(400,
		"BAD_REQUEST", "")
	s.NoEvents()
	for _, f := range followers {
		f.applyEvents()
		f.check(t, "all changed")
	}
	s.Restart()
	s.As("olga").Do("POST /users", "email", "nina@example.com", "full_name", "Nina", "password", kittest.Password).OK()
	key := s.Anonymous().Do("POST /fetch_api_key", "username", "nina@example.com", "password",
		kittest.Password).OK().String("api_key")
	nina := s.WithKey("nina@example.com", key).Do("POST /register", "fetch_event_types",
		`["user_settings","realm_user_settings_defaults"]`).OK()
	for name, v := range want {
		for _, of := range []string{"user_settings.", "realm_user_settings_defaults."} {
			got, _ := json.Marshal(nina.Get(of + name))
			if string(got) != kittest.JSON(v) {
				t.Errorf("%s%s is %s, want %v", of, name, got, v)
			}
		}
	}
	alice := s.As("alice").Do("POST /register", "fetch_event_types", `["user_settings"]`).OK()
	if got := fmt.Sprint(alice.Get("user_settings.enter_sends")); got != "false" {
		t.Errorf("the existing user has enter_sends %s", got)
	}
}

// New users use the realm's language until they choose one.
func TestLanguageOfNewUsers(t *testing.T) {
	s := startAll(t)
	f := follow(s, "alice")
	language := func(want string) {
		t.Helper()
		f.applyEvents()
		f.check(t, "language")
		if got := f.state["realm_user_settings_defaults"].(map[string]any)["default_language"]; got != want {
			t.Errorf("the language is %v, want %s", got, want)
		}
	}
	adam := s.As("adam")
	adam.Do("PATCH /realm/user_settings_defaults", "enter_sends", "true").OK()
	adam.Do("PATCH /realm", "default_language", "de").OK()
	language("de")
	adam.Do("PATCH /realm/user_settings_defaults", "default_language", "fr").OK()
	adam.Do("PATCH /realm", "default_language", "it").OK()
	language("fr")
}
