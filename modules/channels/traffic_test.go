package channels_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/modules/accounts"
	"github.com/stoachat/stoa/modules/channels"
	"github.com/stoachat/stoa/modules/events"
	"github.com/stoachat/stoa/modules/messages"
	"github.com/stoachat/stoa/modules/realm"
)

// TestTraffic checks a channel's weekly traffic, and whether it is recently active, over time.
func TestTraffic(t *testing.T) {
	s := kittest.Start(t, realm.Module, accounts.Module, channels.Module, messages.Module, events.Module)
	const day = 24 * time.Hour
	general := fmt.Sprint(s.ChannelID("general"))
	send := func(n int) {
		t.Helper()
		for range n {
			s.As("alice").Do("POST /messages", "type", "stream", "to", general, "topic", "x", "content", "x").OK()
		}
	}
	after := func(d time.Duration) {
		t.Helper()
		s.Clock.Advance(d)
		s.RunJob("channels.traffic")
	}
	want := func(weekly any, active bool) {
		t.Helper()
		var res struct{ Streams []map[string]any }
		s.As("bob").Do("POST /register", "event_types", `["stream"]`).OK().JSON(&res)
		one := s.As("bob").Do("GET /streams/" + general).OK()
		if got := one.Get("stream.stream_weekly_traffic"); fmt.Sprint(got) != fmt.Sprint(weekly) ||
			one.Get("stream.is_recently_active") != active {
			t.Errorf("after %v: %v a week, active %v, want %v, %v", s.Clock.Now().Sub(kittest.Epoch()), got,
				one.Get("stream.is_recently_active"), weekly, active)
		}
		for _, c := range res.Streams {
			if c["name"] == "general" && fmt.Sprintf("%v %v", c["stream_weekly_traffic"],
				c["is_recently_active"]) != fmt.Sprintf("%v %v", weekly, active) {
				t.Errorf("/register has %v a week, active %v", c["stream_weekly_traffic"], c["is_recently_active"])
			}
		}
	}
	nobody := fmt.Sprint(nil)
	send(20)
	want(nobody, true)
	after(time.Hour)
	want(nobody, true) // not old enough
	after(7*day - 2*time.Hour)
	want(nobody, true)
	s.Skip()
	after(time.Hour)
	want(20, true)
	s.EventsOf("stream", "stream/traffic nobody")
	after(time.Hour)
	s.NoEvents()
	send(15)
	s.Skip()
	after(settledFor)
	want(35, true)
	after(0) // nothing is counted twice
	want(35, true)
	s.Restart()
	want(35, true)
	send(1)
	after(time.Minute)
	want(35, true) // not yet
	after(settledFor)
	want(36, true)
	after(7 * day)
	want(18, true)
	after(13 * day)
	want(9, true)
	after(day - time.Hour)
	want(4, true) // the first 20 are too old; 16 in four weeks
	after(30 * day)
	want(0, true)
	send(1)
	after(day)
	want(1, true)

	week := []string{"client_capabilities", modern, "queue_lifespan_secs", "604800"}
	s.Clock.Advance(178 * day)
	bob, mona, guest := listen(s, "bob", week...), listen(s, "mona", week...), listen(s, "guest", week...)
	after(0)
	s.Skip()
	after(day) // 180 days later
	want(0, true)
	after(day)
	want(0, false)
	expectEvents := func(active bool, more string) {
		t.Helper()
		line := fmt.Sprintf("map[name:general op:update property:is_recently_active stream_id:%s type:stream value:%v]%s",
			general, active, more)
		for who, q := range map[string]*queue{"bob": bob, "mona": mona, "guest": guest} {
			var mine []any
			for _, e := range q.Next() {
				if fmt.Sprint(e["stream_id"]) == general {
					mine = append(mine, e)
				}
			}
			if got := fmt.Sprint(mine); got != "["+line+"]" {
				t.Errorf("%s received %s", who, got)
			}
		}
	}
	expectEvents(false, "")
	send(2)
	want(0, true)
	expectEvents(true, "")
	s.EventsOf("stream", `stream/update knowing:general`, `stream/update knowing:general`)
	after(day)
	want(1, true)
	for _, e := range s.Log() {
		if e.Op == "update" {
			t.Errorf("sent again: %s", e.Payload)
		}
	}
}

// settledFor is the minimum age of a counted message.
const settledFor = 5*time.Minute + time.Second

// A channel without recent activity or messages becomes active and gets its first message at the same time.
func TestFirstMessageInQuietChannel(t *testing.T) {
	s := kittest.Start(t, realm.Module, accounts.Module, channels.Module, messages.Module, events.Module)
	s.Clock.Advance(200 * 24 * time.Hour)
	s.RunJob("channels.traffic")
	path := fmt.Sprintf("GET /streams/%d", s.ChannelID("general"))
	if s.As("bob").Do(path).OK().Get("stream.is_recently_active") != false {
		t.Fatal("still active")
	}
	sent := s.As("alice").Do("POST /messages", "type", "stream", "to", `"general"`, "topic", "x", "content",
		"x").OK().Int("id")
	check := func() {
		t.Helper()
		if a := s.As("bob").Do(path).OK(); a.Get("stream.is_recently_active") != true ||
			a.Int("stream.first_message_id") != sent {
			t.Errorf("%v", a.Get("stream"))
		}
	}
	check()
	s.As("olga").Do(fmt.Sprintf("PATCH /streams/%d", s.ChannelID("general")), "description", "x").OK()
	s.Restart()
	check()
}
