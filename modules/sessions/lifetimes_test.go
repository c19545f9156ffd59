package sessions_test

import (
	"testing"
	"time"

	"github.com/stoachat/stoa/app/kittest"
)

const day = 24 * time.Hour

// TestLifetimes ends sessions that are not used, and in the end also those that are.
func TestLifetimes(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, database string) {
		s := start(t, database, "")
		used, unused := login(s, "alice"), login(s, "alice")
		for range 8 {
			s.Clock.Advance(11 * day)
			if !used.loggedIn() {
				t.Fatal("a session in use has ended")
			}
			s.RunJob("sessions.note_used_sessions")
		}
		if unused.loggedIn() {
			t.Error("a session ends only in the end")
		}
		s.Skip()
		s.Clock.Advance(2*day - time.Second)
		if !used.loggedIn() {
			t.Error("a session in use has ended early")
		}
		s.RunJob("sessions.note_used_sessions")
		s.NoEvents()
		if s.Clock.Advance(time.Second); used.loggedIn() {
			t.Error("a session never ends")
		}
	})
}

// TestExtensions logs an extension about daily, and no login.
func TestExtensions(t *testing.T) {
	s := start(t, "", "")
	b := login(s, "alice")
	s.Skip()
	extensions := 0
	for range 3 * 24 {
		s.Clock.Advance(time.Hour)
		b.loggedIn()
		before := len(s.Log())
		s.RunJob("sessions.note_used_sessions")
		extensions += len(s.Log()) - before
	}
	if extensions < 2 || extensions > 3 {
		t.Errorf("%d extensions in three days", extensions)
	}
}

// TestShorterLifetimes ends sessions that an organization no longer allows.
func TestShorterLifetimes(t *testing.T) {
	s := start(t, "", "")
	b := login(s, "alice")
	s.As("adam").Do("PATCH /stoa/settings/realm", "settings", `{"session_idle_days":2}`).
		Error(400, "UNAUTHORIZED_PRINCIPAL", "")
	s.As("olga").Do("PATCH /stoa/settings/realm", "settings", `{"session_idle_days":2}`).OK()
	if s.Clock.Advance(2*day - time.Second); !b.loggedIn() {
		t.Error("the session has ended early")
	}
	s.RunJob("sessions.note_used_sessions")
	if s.Clock.Advance(2*day + time.Second); b.loggedIn() {
		t.Error("the session lasts longer than the organization allows")
	}
	b = login(s, "alice")
	s.As("olga").Do("PATCH /stoa/settings/realm", "settings", `{"session_life_days":1,"session_idle_days":1}`).OK()
	s.Clock.Advance(day)
	if b.loggedIn() {
		t.Error("the session lasts longer than the organization allows")
	}
}
