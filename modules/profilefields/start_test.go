package profilefields_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/modules/accounts"
	"github.com/stoachat/stoa/modules/channels"
	"github.com/stoachat/stoa/modules/events"
	"github.com/stoachat/stoa/modules/profilefields"
	"github.com/stoachat/stoa/modules/realm"
)

func TestModule(t *testing.T) { kittest.Check(t, profilefields.Module, accounts.Module, realm.Module) }

func start(t *testing.T, url string, settings ...string) *kittest.Server {
	t.Helper()
	config := "modules: {accounts: {password_memory_kib: 64, password_passes: 1}, profilefields: {" +
		strings.Join(settings, ", ") + "}}"
	return kittest.StartWith(t, kittest.Options{Config: config, DatabaseURL: url},
		realm.Module, accounts.Module, channels.Module, events.Module, profilefields.Module)
}

// add adds a field as adam and returns its id.
func add(s *kittest.Server, kind int, name string, params ...string) int64 {
	s.T.Helper()
	params = append([]string{"field_type", fmt.Sprint(kind), "name", name}, params...)
	return s.As("adam").Do("POST /realm/profile_fields", params...).OK().Int("id")
}

// patch changes a field as adam.
func patch(s *kittest.Server, id int64, params ...string) *kittest.Response {
	s.T.Helper()
	return s.As("adam").Do(fmt.Sprintf("PATCH /realm/profile_fields/%d", id), params...)
}

// setValues sets fields of a user's own profile, given as pairs of field and JSON value.
func setValues(s *kittest.Server, who string, pairs ...any) *kittest.Response {
	s.T.Helper()
	return s.As(who).Do("PATCH /users/me/profile_data", "data", data(pairs...))
}

func data(pairs ...any) string {
	var all []string
	for i := 0; i < len(pairs); i += 2 {
		all = append(all, fmt.Sprintf(`{"id":%v,"value":%v}`, pairs[i], pairs[i+1]))
	}
	return "[" + strings.Join(all, ",") + "]"
}

// profile returns a user's profile as reader sees it, as JSON, and checks that all routes return the same profile.
func profile(s *kittest.Server, reader, who string) string {
	s.T.Helper()
	id := s.UserID(who)
	got := kittest.JSON(s.As(reader).Do(fmt.Sprintf("GET /users/%d", id), "include_custom_profile_fields",
		"true").OK().Get("user.profile_data"))
	places := map[string]string{
		"the whole list": listed(s, reader, id, "members", s.As(reader).Do("GET /users", "include_custom_profile_fields",
			"true")),
		"a list of one user": listed(s, reader, id, "members", s.As(reader).Do("GET /users", "include_custom_profile_fields",
			"true", "user_ids", fmt.Sprintf("[%d]", id))),
		"register": listed(s, reader, id, "realm_users", s.As(reader).Do("POST /register", "event_types", `["realm_user"]`,
			"fetch_event_types", `["realm_user"]`)),
	}
	if reader == who {
		places["/users/me"] = kittest.JSON(s.As(reader).Do("GET /users/me").OK().Get("profile_data"))
	}
	for place, there := range places {
		if there != got {
			s.T.Errorf("%s of %s: %s has %s, GET /users/{id} %s", reader, who, place, there, got)
		}
	}
	return got
}

// listed returns the profile of a user in a list, or "" if the user or the profile is missing.
func listed(s *kittest.Server, reader string, id any, key string, a *kittest.Response) string {
	s.T.Helper()
	for _, m := range a.OK().Get(key).([]any) {
		u := m.(map[string]any)
		if fmt.Sprint(u["user_id"]) != fmt.Sprint(id) {
			continue
		}
		if p, ok := u["profile_data"]; ok {
			return kittest.JSON(p)
		}
	}
	return ""
}

// text encodes a value as JSON without escaping HTML.
func text(v any) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err) // mistake in the test
	}
	return strings.TrimSpace(b.String())
}
