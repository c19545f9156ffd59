package invites_test

import (
	"fmt"
	"testing"

	"github.com/stoachat/stoa/adapters/mail/mailtest"
	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/ports"
)

// Once there is an account with an address, created in any way, invitations for it are neither listed nor counted.
func TestInvitationsOfAccounts(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		f := &mailtest.Fake{}
		text := fmt.Sprintf("http: {url: %s, rate_limits: {enabled: false}}\nmodules: {accounts: {change_emails: true}, "+
			"invites: {max_pending: 10}}", site)
		s := server{kittest.StartWith(t, kittest.Options{DatabaseURL: url, Config: text}, modules(f.Module())...), f}
		s.endWaitingPeriod()
		for _, name := range []string{"made", "moved", "robot", "system"} {
			s.invite("bob", name+"@example.org")
		}
		s.As("bob").Do("POST /invites", "invitee_emails", "one@example.org", "stream_ids", "[]").Error(400, "BAD_REQUEST",
			"limit: 4")
		create := func(by user.Actor, n ports.NewUser) func() {
			return func() {
				if _, err := s.Ports.Accounts.Create(t.Context(), by, n); err != nil {
					t.Error(err)
				}
			}
		}
		for i, do := range []func(){
			func() {
				s.As("olga").Do("POST /users", "email", "Made@example.org", "full_name", "Made", "password", password).OK()
			},
			func() {
				s.As("olga").Do(fmt.Sprintf("PATCH /users/%d", s.UserID("mona")), "new_email", "moved@example.org").OK()
			},
			create(s.Actor("alice"), ports.NewUser{
				Email: "robot@example.org", FullName: "Robot", Role: user.Member, BotType: user.GenericBot,
				BotOwner: s.UserID("alice"),
			}),
			create(user.Actor{Realm: s.Realm, System: true}, ports.NewUser{Email: "system@example.org", FullName: "System",
				Role: user.Member}),
		} {
			s.Skip()
			do()
			s.EventsOf("invites_changed", "invites_changed admins+bob {}")
			if got := s.list("bob"); len(got) != 3-i {
				t.Errorf("%d: %v", i, got)
			}
		}
		s.Skip()
		s.As("olga").Do(fmt.Sprintf("PATCH /users/%d", s.UserID("mona")), "full_name", "Mona again").OK()
		s.EventsOf("invites_changed")
		s.As("bob").Do("POST /invites", "invitee_emails", "one@example.org", "stream_ids", "[]").OK()
	})
}
