package push_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
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
