package accounts_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/domain/user"
)

// A user created by an administrator joins when they get their first API key in any way. A later login does not change
// the date.
func TestJoinedAtFirstKey(t *testing.T) {
	s := start(t)
	id := s.As("olga").Do("POST /users", "email", "nina@example.com", "full_name", "Nina", "password",
		kittest.Password).OK().Int("user_id")
	const joined = "2026-06-03T14:00+00:00"
	joinedEvent := fmt.Sprintf(`realm_user/update seeing:%d {"person":{"date_joined":%q,"user_id":%d}}`, id, joined, id)
	s.Clock.Advance(50 * time.Hour)
	s.Skip()
	// The command stoa issues keys this way.
	key, err := s.Ports.Accounts.IssueKey(t.Context(), user.Actor{Realm: s.Realm, System: true}, user.ID(id))
	if err != nil {
		t.Fatal(err)
	}
	s.EventsOf("realm_user", joinedEvent)
	nina := s.WithKey("nina@example.com", key)
	for range 2 {
		if got := nina.Do("GET /users/me").OK().String("date_joined"); got != joined {
			t.Errorf("joined at %s", got)
		}
		s.Clock.Advance(24 * time.Hour)
		s.Anonymous().Do("POST /fetch_api_key", "username", "nina@example.com", "password", kittest.Password).OK()
		s.EventsOf("realm_user")
	}
}

// A user created by an administrator joins at the first login, and everyone who can see the user is notified. Other
// users joined when they were created.
func TestJoinedAtFirstLogin(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		s := startOn(t, url)
		id := s.As("olga").Do("POST /users", "email", "nina@example.com", "full_name", "Nina", "password",
			kittest.Password).OK().Int("user_id")
		joined := func(want string) {
			t.Helper()
			if got := s.As("bob").Do(fmt.Sprintf("GET /users/%d", id)).OK().String("user.date_joined"); got != want {
				t.Errorf("joined at %s, want %s", got, want)
			}
		}
		login := func(name, password string) *kittest.Response {
			return s.Anonymous().Do("POST /fetch_api_key", "username", name+"@example.com", "password", password)
		}
		s.Clock.Advance(50 * time.Hour)
		q := s.As("guest").Register("event_types", `["realm_user"]`)
		login("nina", "wrong password").Error(401, "AUTHENTICATION_FAILED", "")
		login("alice", kittest.Password).OK()
		joined("2026-06-01T12:00+00:00")
		same(t, "events before", q.Texts())
		s.Skip()
		login("nina", kittest.Password).OK()
		s.EventsOf("realm_user", fmt.Sprintf(`realm_user/update seeing:%d `+
			`{"person":{"date_joined":"2026-06-03T14:00+00:00","user_id":%d}}`, id, id))
		same(t, "guest's events", q.Texts(),
			fmt.Sprintf(`{"op":"update","person":{"date_joined":"2026-06-03T14:00+00:00","user_id":%d},"type":"realm_user"}`,
				id))
		joined("2026-06-03T14:00+00:00")
		s.Clock.Advance(2 * time.Minute)
		login("nina", kittest.Password).OK()
		same(t, "events of another login", q.Texts())
		s.Restart()
		joined("2026-06-03T14:00+00:00")
	})
}
