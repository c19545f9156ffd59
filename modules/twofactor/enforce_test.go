package twofactor_test

import (
	"testing"
	"time"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/domain/user"
)

// TestLoginsEnd checks that sessions and API keys that began without a second factor end with the days to set it up,
// and only then and once; those of people who have one, and of bots, stay.
func TestLoginsEnd(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, database string) {
		s := start(t, database)
		ada, bob := enroll(s, "alice"), newBrowser(s)
		bob.password("bob")
		works := func(name string) bool { return s.As(name).Do("GET /users/me").Status == 200 }
		check := func(what string, want bool) {
			t.Helper()
			if works("bob") != want || (bob.who() != "") != want {
				t.Errorf("%s: the key of bob works: %v, the session: %v", what, works("bob"), bob.who() != "")
			}
			if !works("alice") || ada.at.who() == "" || !works("bot") {
				t.Errorf("%s: alice's key or session, or the key of a bot, has ended", what)
			}
		}
		s.require("members", 3)
		newBrowser(s).password("bob")
		s.RunJob("twofactor.enforce")
		s.Clock.Advance(3*24*time.Hour - time.Minute)
		s.RunJob("twofactor.enforce")
		check("a minute before the end", true)
		s.Clock.Advance(time.Minute)
		s.RunJob("twofactor.enforce")
		check("at the end", false)

		// A provider that is trusted with the second factor may have asked for it since.
		key, err := s.Ports.Accounts.IssueKey(t.Context(), user.Actor{Realm: s.Realm}, s.UserID("bob"))
		if err != nil {
			t.Fatal(err)
		}
		s.RunJob("twofactor.enforce")
		s.WithKey("bob@example.com", key).Do("GET /users/me").OK()
	})
}
