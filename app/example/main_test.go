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

// TestParty checks that a client of a server with this module and the standard ones receives birthday events.
func TestParty(t *testing.T) {
	s := kittest.Start(t, realm.Module, accounts.Module, groups.Module, channels.Module, messages.Module, events.Module,
		birthdays.Module)
	s.As("alice").Do("POST /birthdays", "day", "1990-02-28").OK()

	queue := s.As("bob").Register("fetch_event_types", `["birthdays"]`, "event_types", `["birthdays"]`)
	if got := queue.Start.String("birthdays.0.day"); got != "1990-02-28" {
		t.Errorf("the register answer has the day %s", got)
	}

	s.As("alice").Do("POST /birthdays", "day", "1991-03-01").OK()
	queue.Is(`{"type":"birthdays","op":"set","day":"1991-03-01","user_id":"*"}`)
}
