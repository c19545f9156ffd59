package accounts_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/modules/accounts"
	"github.com/stoachat/stoa/modules/channels"
	"github.com/stoachat/stoa/modules/events"
	"github.com/stoachat/stoa/modules/realm"
)

// Spectators can list users, but see nothing private.
func TestSpectators(t *testing.T) {
	s := kittest.StartWith(t, kittest.Options{Config: "modules: {channels: {web_public_streams: true}}"},
		realm.Module, accounts.Module, channels.Module, events.Module)
	olga, nobody := s.As("olga"), s.Anonymous()
	nobody.Do("GET /users").Error(401, "UNAUTHORIZED", "Not logged in: API authentication or user session required")
	olga.Do("PATCH /realm", "enable_spectator_access", "true").OK()
	olga.Do("POST /users/me/subscriptions", "subscriptions", `[{"name":"open"}]`, "is_web_public", "true", "principals",
		fmt.Sprintf("[%d]", s.UserID("bob"))).OK()
	id := s.UserID("alice")
	nobody.Do("GET /users", "user_ids", fmt.Sprintf("[999,%d,%d]", id, id), "client_gravatar", "true",
		"include_custom_profile_fields", "true").
		Is(200, fmt.Sprintf(`{"result":"success","msg":"","members":[{"user_id":%d,"email":"user%d@stoa.invalid",
		"delivery_email":null,"full_name":"Alice",
		"date_joined":"2026-06-01","is_active":true,"is_owner":false,"is_admin":false,"is_guest":false,"is_bot":false,
		"role":400,"avatar_version":1,
		"is_imported_stub":false,"avatar_url":"*"}]}`, id, id))
	all := nobody.Do("GET /users").OK()
	if !all.Has("members.6") || all.Has("members.7") || strings.Contains(all.Body, "alice@") ||
		strings.Contains(all.Body, "timezone") || strings.Contains(all.Body, "null,\"avatar_v") {
		t.Errorf("all: %s", all.Body)
	}
	if a := s.As("bob").Do("GET /users", "user_ids", fmt.Sprintf("[%d]", id), "client_gravatar",
		"false").OK(); a.Get("members.0.avatar_url") == all.Get("members.0.avatar_url") {
		t.Error("the avatar is derived from the hidden address")
	}
	for _, call := range []string{"GET /users/me", fmt.Sprint("GET /users/", id), "POST /users"} {
		nobody.Do(call).Error(401, "UNAUTHORIZED", "")
	}

	// If guests can see only some users, spectators can see bots and users in web-public channels.
	olga.Do("PATCH /realm", "can_access_all_users_group", `{"new":6}`).OK()
	some := nobody.Do("GET /users").OK()
	for _, who := range []string{"Bob", "Helper Bot"} {
		if !strings.Contains(some.Body, who) {
			t.Errorf("%s is not shown: %s", who, some.Body)
		}
	}
	if some.Has("members.2") {
		t.Errorf("other users are shown: %s", some.Body)
	}
	if a := nobody.Do("POST /register").OK(); !strings.Contains(a.Body, "Bob") || strings.Contains(a.Body, "Alice") ||
		strings.Contains(a.Body, "Unknown user") {
		t.Errorf("spectators get %s", kittest.JSON(a.Get("realm_users")))
	}
}
