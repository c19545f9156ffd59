package bots_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/domain/group"
)

// createHidden creates a private channel that full members can see, and a bot of alice's with the channel in its
// defaults.
func createHidden(s *kittest.Server) (channel string, m testBot) {
	s.T.Helper()
	s.As("olga").Do("POST /users/me/subscriptions", "subscriptions", `[{"name":"hidden"}]`, "invite_only", "true").OK()
	channel = fmt.Sprint(s.As("olga").Do("GET /get_stream_id", "stream", "hidden").OK().Int("stream_id"))
	s.As("olga").Do("PATCH /streams/"+channel, "can_subscribe_group", named(group.FullMembers)).OK()
	m = makeBot(s, "alice", "helper", "default_sending_stream", "hidden", "default_events_register_stream", "general")
	makeBot(s, "bob", "other", "default_sending_stream", "general")
	return channel, m
}

// A bot's owner is notified when a change of the waiting period reveals or hides a channel in the bot's defaults.
func TestDefaultsAfterWaitingPeriodChange(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		s := start(t, url)
		_, m := createHidden(s)
		wait := func(days string) {
			t.Helper()
			s.As("olga").Do("PATCH /realm", "waiting_period_threshold", days).OK()
		}
		fs := follow(s)
		s.Skip()
		wait("5000")
		s.EventsOf("realm_bot", fmt.Sprintf(`realm_bot/update user:alice {"bot":%d,"property":"default_sending_stream"}`,
			m.id))
		fs.expect("alice: default_sending_stream")
		wait("5001")
		fs.expect()
		wait("0")
		fs.expect("alice: default_sending_stream")
		s.As("olga").Do("PATCH /realm", "name", "Another").OK()
		fs.expect()
	})
}

// The owner is notified of channels that become visible when her account is old enough, either by the job or by an
// earlier change of her account.
func TestDefaultsOfNewFullMember(t *testing.T) {
	s := start(t, "")
	channel, _ := createHidden(s)
	set := func(call string, params ...string) func() {
		return func() { t.Helper(); s.As("olga").Do(call, params...).OK() }
	}
	wait := func(days int) func() {
		return set("PATCH /realm", "waiting_period_threshold", fmt.Sprint(days))
	}
	alice := fmt.Sprint(s.UserID("alice"))
	role := func(r string) func() { return set("PATCH /users/"+alice, "role", r) }
	subscribe := set("POST /users/me/subscriptions", "subscriptions", `[{"name":"hidden"}]`, "principals", "["+alice+"]")
	leave := set("DELETE /users/me/subscriptions", "subscriptions", `["hidden"]`, "principals", "["+alice+"]")
	for _, row := range []struct {
		name string
		do   []func()
		undo func()
	}{
		{name: "nothing"},
		{name: "a longer wait", do: []func(){wait(5000)}},
		{name: "a shorter one", do: []func(){wait(1)}},
		{name: "none", do: []func(){wait(0)}},
		{name: "promoted", do: []func(){role("300")}, undo: role("400")},
		{name: "promoted and back", do: []func(){role("300"), role("400")}},
		{name: "subscribed", do: []func(){subscribe}, undo: leave},
		{name: "subscribed and not", do: []func(){subscribe, leave}},
		{name: "public", do: []func(){set("PATCH /streams/"+channel, "is_private", "false")},
			undo: set("PATCH /streams/"+channel, "is_private", "true")},
	} {
		wait(int(s.Clock.Now().Sub(kittest.Epoch())/(24*time.Hour)) + 2)()
		s.RunJob("accounts.waiting period")
		early := follow(s)
		s.Clock.Advance(2*24*time.Hour + 20*time.Second)
		late := follow(s)
		if got := kittest.JSON(early.all[0].state); got == kittest.JSON(late.all[0].state) {
			t.Fatalf("%s: %s, and for a full member the same", row.name, got)
		}
		for _, do := range row.do {
			do()
		}
		s.RunJob("accounts.waiting period")
		for who, fs := range map[string]*followers{"early": early, "late": late} {
			for _, f := range fs.all {
				fs.applyEvents(f)
				if _, now := fs.register(f.who); kittest.JSON(now) != kittest.JSON(f.state) {
					t.Errorf("%s, %s: %s has\n\t%s\nbut /register has\n\t%s", row.name, who, f.who, kittest.JSON(f.state),
						kittest.JSON(now))
				}
			}
		}
		if row.undo != nil {
			row.undo()
		}
	}
	// Only she is notified.
	wait(int(s.Clock.Now().Sub(kittest.Epoch())/(24*time.Hour)) + 2)()
	fs := follow(s)
	s.Clock.Advance(2*24*time.Hour + 20*time.Second)
	s.RunJob("accounts.waiting period")
	fs.expect("alice: default_sending_stream")
}
