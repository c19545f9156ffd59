package events_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/modules/accounts"
	"github.com/stoachat/stoa/modules/channels"
	"github.com/stoachat/stoa/modules/events"
	"github.com/stoachat/stoa/modules/groups"
	"github.com/stoachat/stoa/modules/realm"
)

// Spectators can register for web-public data. They get no queue.
func TestSpectators(t *testing.T) {
	s := kittest.StartWith(t, kittest.Options{Config: "modules: {channels: {web_public_streams: true}}"},
		realm.Module, accounts.Module, channels.Module, groups.Module, events.Module)
	olga, nobody := s.As("olga"), s.Anonymous()
	for _, call := range []string{"POST /register", "GET /users"} {
		nobody.Do(call).Error(401, "UNAUTHORIZED", "Not logged in: API authentication or user session required")
	}
	olga.Do("PATCH /realm", "enable_spectator_access", "true", "welcome_message_custom_text", "inside").OK()
	olga.Do("POST /users/me/subscriptions", "subscriptions", `[{"name":"open","description":"for all"}]`, "is_web_public",
		"true").OK()
	olga.Do("POST /user_groups/create", "name", "conspirators", "description", "", "members", "[]").OK()
	s.As("alice").Do("PATCH /settings", "timezone", "Europe/Berlin").OK()

	a := nobody.Do("POST /register").OK()
	for path, want := range map[string]string{
		"queue_id": "<nil>", "last_event_id": "-1", "idle_queue_timeout_secs": "0", "user_id": "0", "is_guest": "true",
		"is_admin": "false", "email": "",
		"realm_presence_disabled": "true", "realm_allow_message_editing": "false", "realm_name": "Stoics",
		"subscriptions.0.name":        "open",
		"subscriptions.0.description": "for all", "realm_users.0.full_name": "Alice", "realm_users.0.delivery_email": "<nil>",
		"realm_users.0.email":          fmt.Sprintf("user%d@stoa.invalid", s.UserID("alice")),
		"realm_users.0.date_joined":    "2026-06-01",
		"cross_realm_bots.0.full_name": "Notification Bot", "max_message_id": "-1", "user_settings.enter_sends": "false",
		"realm_user_groups.0.name": "role:nobody",
	} {
		if got := fmt.Sprint(a.Get(path)); got != want {
			t.Errorf("%s is %s, want %s", path, got, want)
		}
	}
	for _, never := range []string{"subscriptions.1", "subscriptions.0.subscribers", "unsubscribed.0",
		"never_subscribed.0", "streams", "realm_users.0.timezone",
		"realm_users.0.profile_data", "realm_domains.0", "realm_user_groups.0.members.0", "realm_default_streams.0"} {
		if a.Has(never) {
			t.Errorf("%s is there: %s", never, kittest.JSON(a.Get(never)))
		}
	}
	for _, never := range []string{`"general"`, "secret", "Berlin", "inside", "conspirators"} {
		if at := strings.Index(a.Body, never); at >= 0 {
			t.Errorf("spectators received %s: %s", never, a.Body[max(0, at-80):at+40])
		}
	}
	if strings.Contains(a.Body, "alice@") {
		t.Error("spectators received an address")
	}
	for _, param := range []string{"client_gravatar", "include_subscribers", "all_public_streams"} {
		nobody.Do("POST /register", param, "true").Error(400, "BAD_REQUEST", "")
	}
	some := nobody.Do("POST /register", "fetch_event_types", `["subscription"]`, "client_gravatar", "false").OK()
	if !some.Has("subscriptions.0") || some.Has("realm_users") {
		t.Errorf("the requested parts: %s", some.Body)
	}
	nobody.Do("GET /events", "queue_id", "x", "last_event_id", "-1").Error(401, "UNAUTHORIZED", "")

	olga.Do("PATCH /realm", "enable_spectator_access", "false").OK()
	nobody.Do("POST /register").Error(401, "UNAUTHORIZED", "")
}
