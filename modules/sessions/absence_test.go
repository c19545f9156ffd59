package sessions_test

import (
	"fmt"
	"path"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
)

// A session does not outlive a change of the password that happened while the module was left out, and invitations and
// links do not outlive the deactivation of their author.
func TestAbsence(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, database string) {
		s := kittest.StartWith(t, kittest.Options{DatabaseURL: database}, modules...)
		alice, bob := login(s, "alice"), login(s, "bob")
		link := s.As("adam").Do("POST /invites/multiuse", "invite_as", "400").OK().String("invite_link")

		s.RestartWithout("sessions", "homepage", "invites", "confirmations")
		s.As("alice").Do("PATCH /settings", "old_password", kittest.Password, "new_password", "another horse battery").OK()
		s.As("olga").Do("DELETE /users/" + fmt.Sprint(s.UserID("adam"))).OK()

		s.Restart()
		s.RunJob("server.catch up")
		if alice.loggedIn() || bob.loggedIn() {
			t.Error("a session has outlived the absence")
		}
		s.Anonymous().Do("POST /join/look", "key", path.Base(link)).Error(404, "NOT_FOUND", "")
		if !login(s, "bob").loggedIn() {
			t.Error("logins fail")
		}
	})
}
