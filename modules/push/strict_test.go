package push_test

import (
	"fmt"
	"strings"
	"testing"

	pushrelay "github.com/stoachat/stoa/adapters/push/relay"
	"github.com/stoachat/stoa/adapters/push/webpush"
	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/modules/accounts"
	"github.com/stoachat/stoa/modules/events"
	"github.com/stoachat/stoa/modules/messages"
	"github.com/stoachat/stoa/modules/presence"
	"github.com/stoachat/stoa/modules/push"
	"github.com/stoachat/stoa/modules/realm"
)

// TestStrictClients checks that a client that fails on unknown event types gets device events only if it requests the
// type.
func TestStrictClients(t *testing.T) {
	s := start(t, "", nil)
	for _, c := range []struct {
		agent, types string
		receives     bool
	}{
		{"ZulipFlutter/1.0", "", true}, {"go-zulip/0.1", "", false}, {"go-zulip/0.1", `["device"]`, true},
		{"ZulipFlutter/1.0", `["message"]`, false},
	} {
		alice := s.As("alice").Agent(c.agent)
		params := []string{}
		if c.types != "" {
			params = []string{"event_types", c.types}
		}
		reg := alice.Do("POST /register", params...).OK()
		alice.Do("POST /register_client_device").OK()
		got := alice.Do("GET /events", "queue_id", reg.String("queue_id"), "last_event_id",
			fmt.Sprint(reg.Int("last_event_id")), "dont_block", "true").
			OK()
		if receives := strings.Contains(kittest.JSON(got.Get("events")), `"device_id"`); receives != c.receives {
			t.Errorf("%s with types %q received device events: %v", c.agent, c.types, receives)
		}
	}
}

// TestStrictClientsGetNoUnknownPresenceKeys checks that a strict client gets a user's presence without the two integers
// of a later feature level than its own.
func TestStrictClientsGetNoUnknownPresenceKeys(t *testing.T) {
	s := kittest.StartWith(t, kittest.Options{}, realm.Module, accounts.Module, events.Module, messages.Module,
		presence.Module, push.Module, pushrelay.Module, webpush.Module)
	s.As("alice").Do("POST /users/me/presence", "status", "active").OK()
	for agent, want := range map[string]string{
		"go-zulip/0.1": `"aggregated":"*","website":"*"`, "Go-Zulip": `"aggregated":"*","website":"*"`,
		"ZulipFlutter/1.0": `"active_timestamp":"*","idle_timestamp":"*","aggregated":"*","website":"*"`,
	} {
		s.As("bob").Agent(agent).Do(fmt.Sprintf("GET /users/%d/presence", s.UserID("alice"))).Is(200,
			`{"result":"success","msg":"","server_timestamp":"*","presence":{`+want+`}}`)
	}
}
