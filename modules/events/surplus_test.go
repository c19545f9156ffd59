package events_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/modules/events"
)

// The number of queues per user is limited: an additional queue ends the user's least recently polled queue, but no
// queue of other users.
func TestQueuesPerUserAreBounded(t *testing.T) {
	for _, restart := range []bool{false, true} {
		s := kittest.StartWith(t, kittest.Options{Config: "modules: {events: {max_queues: 3}}\n"}, events.Module)
		register := func(who string) string {
			s.Clock.Advance(time.Second)
			return s.As(who).Do("POST /register", "event_types", `["message"]`).OK().String("queue_id")
		}
		there := func(who, id string) bool {
			return s.As(who).Do("GET /events", "queue_id", id, "last_event_id", "-1", "dont_block", "true").Status == 200
		}
		others := register("bob")
		mine := []string{register("alice"), register("alice"), register("alice"), register("alice"), register("alice")}
		if restart {
			s.Restart()
		}
		for i, id := range mine {
			if got := there("alice", id); got != (i >= 2) {
				t.Errorf("restart %v: queue %d of 5 exists: %v", restart, i, got)
			}
		}
		if !there("bob", others) {
			t.Errorf("restart %v: another user's queue ended", restart)
		}
	}
}

// Registrations store little data.
func TestRegistrationsAreSmall(t *testing.T) {
	s := kittest.Start(t, events.Module)
	s.As("alice").Do("POST /register", "narrow", `[["topic","`+strings.Repeat("x", 10_000)+`"]]`).Error(400, "BAD_REQUEST",
		"narrow is too long")
	s.As("alice").Do("POST /register", "event_types", `["`+strings.Repeat("x", 100_000)+`"]`).OK()
}
