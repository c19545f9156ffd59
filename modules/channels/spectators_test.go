package channels_test

import (
	"fmt"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/modules/accounts"
	"github.com/stoachat/stoa/modules/channels"
	"github.com/stoachat/stoa/modules/events"
	"github.com/stoachat/stoa/modules/realm"
)

// /register tells clients that there is web-public content if server and realm support it and such a channel exists.
func TestSpectatorsAreAnnounced(t *testing.T) {
	s := kittest.StartWith(t, kittest.Options{Config: "modules: {channels: {web_public_streams: true}}"},
		realm.Module, accounts.Module, channels.Module, events.Module)
	olga := s.As("olga")
	expectFlags := func(want string) {
		t.Helper()
		server := olga.Do("POST /register", "fetch_event_types", `["realm"]`).OK().Get("server_web_public_streams_enabled")
		enabled := s.Anonymous().Do("GET /server_settings").OK().Get("realm_web_public_access_enabled")
		if got := fmt.Sprint(server, enabled); got != want {
			t.Errorf("clients got %s, want %s", got, want)
		}
	}
	expectFlags("true false")
	olga.Do("PATCH /realm", "enable_spectator_access", "true").OK()
	expectFlags("true false")
	olga.Do("POST /users/me/subscriptions", "subscriptions", `[{"name":"open"}]`, "is_web_public", "true").OK()
	expectFlags("true true")
	olga.Do("PATCH /realm", "enable_spectator_access", "false").OK()
	expectFlags("true false")
	olga.Do("PATCH /realm", "enable_spectator_access", "true").OK()
	olga.Do(fmt.Sprint("DELETE /streams/", olga.Do("GET /get_stream_id", "stream", "open").OK().Int("stream_id"))).OK()
	expectFlags("true false")

	s = kittest.Start(t, realm.Module, accounts.Module, channels.Module, events.Module)
	olga = s.As("olga")
	olga.Do("PATCH /realm", "enable_spectator_access", "true").OK()
	expectFlags("false false")
}
