package notifications_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stoachat/stoa/app/kittest"
)

// While a user's notifications are paused, and outside the hours of their schedule, nothing is pushed, and nothing of
// it later. All of the user's clients that know of this are told, and nobody else.
func TestDoNotDisturb(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, database string) {
		w := open(t, database, "alice", "bob")
		bob := w.As("bob")
		const route, types = "PATCH /users/me/do_not_disturb", `["do_not_disturb"]`
		aware := func(who string) *kittest.Queue {
			return w.As(who).Register("event_types", types, "client_capabilities", `{"do_not_disturb":true}`)
		}
		bobs, others, plain := aware("bob"), aware("alice"), bob.Register("event_types", types)
		stored := func(want string) {
			t.Helper()
			a := bob.Do("POST /register", "fetch_event_types", types, "event_types", `["heartbeat"]`).OK()
			if got := kittest.JSON(a.Get("do_not_disturb")); got != want {
				t.Errorf("the register has %s, want %s", got, want)
			}
			a = bob.Do("GET /users/me/do_not_disturb").OK()
			if got := kittest.JSON(a.Get("do_not_disturb")); got != want {
				t.Errorf("the answer is %s, want %s", got, want)
			}
		}
		stored(`{"paused_until":0,"schedule":null}`)
		if bob.Do("POST /register").OK().Has("do_not_disturb") {
			t.Error("a client that requests everything receives do_not_disturb")
		}

		until := w.Clock.Now().Add(30 * time.Minute).Unix()
		bob.Do(route, "paused_until", fmt.Sprint(until)).OK()
		bobs.Is(fmt.Sprintf(`{"paused_until":%d,"schedule":null,"type":"do_not_disturb"}`, until))
		others.Is()
		plain.Is()
		w.direct("alice", "paused", "bob")
		w.direct("bob", "not paused", "alice")
		w.notified("alice: *")
		w.Clock.Advance(30*time.Minute - time.Second)
		w.direct("alice", "still paused", "bob")
		w.notified()
		w.Clock.Advance(time.Second)
		w.direct("alice", "again", "bob")
		w.notified(`bob: *"content":"again"*`)

		// Berlin is two hours ahead. It is Monday, half past twelve there.
		bob.Do("PATCH /settings", "timezone", "Europe/Berlin").OK()
		bob.Do(route, "paused_until", "0", "schedule", `{"days":[2,1],"from":"09:00","to":"18:00"}`).OK()
		stored(`{"paused_until":0,"schedule":{"days":[1,2],"from":"09:00","to":"18:00"}}`)
		w.Clock.Set(time.Date(2026, 6, 1, 15, 59, 0, 0, time.UTC))
		w.direct("alice", "at work", "bob")
		w.notified(`bob: *"content":"at work"*`)
		w.Clock.Advance(time.Minute)
		w.direct("alice", "after work", "bob")
		w.notified()
		bob.Do(route, "schedule", "{}").OK()
		w.direct("alice", "no schedule", "bob")
		w.notified(`bob: *"content":"no schedule"*`)
		stored(`{"paused_until":0,"schedule":null}`)

		bad := func(msg string, params ...string) {
			t.Helper()
			bob.Do(route, params...).Error(400, "BAD_REQUEST", msg)
		}
		bad("Client did not pass any new values.")
		for _, wrong := range []string{"-1", "1", "9223372036854775807"} {
			bad("paused_until must be in the future, within a year.", "paused_until", wrong)
		}
		bad("The days of a schedule are numbers from 1, for Monday, to 7.", "schedule",
			`{"days":[9],"from":"09:00","to":"18:00"}`)
		bad("schedule is not valid", "schedule", `[1]`)
	})
}
