package status_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stoachat/stoa/app/kittest"
)

// A status is removed at its end, by a server that may have been restarted since, and all clients are told. Only
// clients with the capability see the end itself.
func TestStatusEnds(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		s := start(t, url)
		alice, id := s.As("alice"), s.UserID("alice")
		const types = `["user_status"]`
		plain := s.As("bob").Register("event_types", types, "idle_queue_timeout", "86400")
		aware := s.As("bob").Register("event_types", types, "idle_queue_timeout", "86400",
			"client_capabilities", `{"status_end_times":true}`)
		event := func(fields string) string { return fmt.Sprintf(`{%s,"type":"user_status","user_id":%d}`, fields, id) }
		shown := func(capabilities, want string) {
			t.Helper()
			a := s.As("bob").Do("POST /register", "event_types", types, "client_capabilities", capabilities).OK()
			if got := kittest.JSON(a.Get("user_status")); got != want {
				t.Errorf("with %s, the register has %s, want %s", capabilities, got, want)
			}
		}
		in := func(d time.Duration) string { return fmt.Sprint(s.Clock.Now().Add(d).Unix()) }

		end := in(30 * time.Minute)
		alice.Do("POST /users/me/status", "status_text", "lunch", "scheduled_end_time", end).OK()
		plain.Is(event(`"status_text":"lunch"`))
		aware.Is(event(`"scheduled_end_time":` + end + `,"status_text":"lunch"`))
		shown(`{}`, fmt.Sprintf(`{"%d":{"status_text":"lunch"}}`, id))
		shown(`{"status_end_times":true}`,
			fmt.Sprintf(`{"%d":{"scheduled_end_time":%s,"status_text":"lunch"}}`, id, end))
		expectStatus(s, "bob", "alice", `{"status_text":"lunch"}`)

		s.Restart()
		s.Clock.Advance(30*time.Minute - time.Second)
		s.RunJob("status.end statuses")
		expectStatus(s, "bob", "alice", `{"status_text":"lunch"}`)
		s.Clock.Advance(time.Second)
		s.RunJob("status.end statuses")
		expectStatus(s, "bob", "alice", `{}`)
		plain.Is(event(`"status_text":""`))
		aware.Is(event(`"scheduled_end_time":0,"status_text":""`))

		// A new text does not inherit the end, and the same text keeps it.
		alice.Do("POST /users/me/status", "status_text", "lunch", "scheduled_end_time", in(time.Hour)).OK()
		alice.Do("POST /users/me/status", "status_text", "lunch").OK()
		aware.Is(event(`"scheduled_end_time":` + in(time.Hour) + `,"status_text":"lunch"`))
		alice.Do("POST /users/me/status", "status_text", "holiday").OK()
		aware.Is(event(`"scheduled_end_time":0,"status_text":"holiday"`))
		plain.Is(event(`"status_text":"lunch"`), event(`"status_text":"holiday"`))
		alice.Do("POST /users/me/status", "scheduled_end_time", in(time.Minute)).OK()
		plain.Is()
		aware.Is(event(`"scheduled_end_time":` + in(time.Minute)))
		alice.Do("POST /users/me/status", "scheduled_end_time", "0").OK()
		aware.Is(event(`"scheduled_end_time":0`))
		s.Clock.Advance(2 * time.Hour)
		s.RunJob("status.end statuses")
		expectStatus(s, "bob", "alice", `{"status_text":"holiday"}`)

		for _, wrong := range []string{"-1", in(0), in(11 * 366 * 24 * time.Hour), "9223372036854775807"} {
			alice.Do("POST /users/me/status", "scheduled_end_time", wrong).Error(400, "BAD_REQUEST",
				"scheduled_end_time must be in the future, within ten years.")
		}
	})
}
