package main

import (
	"testing"

	"example.com/party/birthdays"
	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/modules/accounts"
	"github.com/stoachat/stoa/modules/channels"
	"github.com/stoachat/stoa/modules/events"
	"github.com/stoachat/stoa/modules/groups"
	"github.com/stoachat/stoa/modules/messages"
	"github.com/stoachat/stoa/modules/realm"
)

// TestParty has a client register beside the modules that Stoa ships, and hear of a birthday.
func TestParty(t *testing.T) {
	s := kittest.Start(t, realm.Module, accounts.Module, groups.Module, channels.Module, messages.Module, events.Module, birthdays.Module)
	s.As("alice").Do("POST /birthdays", "day", "1990-02-28").OK()

	bob := s.As("bob")
	registered := bob.Do("POST /register", "fetch_event_types", `["birthdays"]`, "event_types", `["birthdays"]`).OK()
	if got := registered.String("birthdays.0.day"); got != "1990-02-28" {
		t.Errorf("the register answer has the day %s", got)
	}
	queue, last := registered.String("queue_id"), kittest.JSON(registered.Int("last_event_id"))

	s.As("alice").Do("POST /birthdays", "day", "1991-03-01").OK()
	heard := bob.Do("GET /events", "queue_id", queue, "last_event_id", last).OK()
	for path, want := range map[string]string{"type": "birthdays", "op": "set", "day": "1991-03-01"} {
		if got := heard.String("events.0." + path); got != want {
			t.Errorf("the event's %s is %q, want %q", path, got, want)
		}
	}
}
