package deactivationmail_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stoachat/stoa/adapters/mail/mailtest"
	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/domain/mail"
	"github.com/stoachat/stoa/modules/accounts"
	"github.com/stoachat/stoa/modules/channels"
	"github.com/stoachat/stoa/modules/deactivationmail"
	mailmodule "github.com/stoachat/stoa/modules/mail"
	"github.com/stoachat/stoa/modules/realm"
)

func TestModule(t *testing.T) {
	kittest.Check(t, deactivationmail.Module, realm.Module, accounts.Module, mailmodule.Module,
		(&mailtest.Fake{}).Module())
}

type server struct {
	*kittest.Server
	mails *mailtest.Fake
}

func start(t *testing.T, databaseURL string) server {
	t.Helper()
	f := &mailtest.Fake{}
	s := kittest.StartWith(t, kittest.Options{Config: "modules: {accounts: {password_memory_kib: 64, password_passes: 1}}",
		DatabaseURL: databaseURL},
		realm.Module, accounts.Module, channels.Module, mailmodule.Module, f.Module(), deactivationmail.Module)
	s.As("olga").Do("PATCH /realm", "name", "Acme").OK()
	s.Skip()
	return server{s, f}
}

// sent runs the job that sends email and returns the emails received since the last call.
func (s server) sent() []mail.Message {
	s.T.Helper()
	s.RunJob("mail.send_mails")
	return s.mails.Received()
}

func (s server) deactivate(who string, params ...string) *kittest.Response {
	s.T.Helper()
	return s.As("adam").Do(fmt.Sprintf("DELETE /users/%d", s.UserID(who)), params...)
}

const comment = "deactivation_notification_comment"

// A deactivated user gets an email if the administrator chose to notify the user, with the administrator's comment if
// there is one. The user's bots get none.
func TestMail(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, databaseURL string) {
		s := start(t, databaseURL)
		const begins = "Hello,\n\nan administrator of Acme has deactivated your account there. You can no longer log in " +
			"with it.\n"
		for _, c := range []struct {
			who    string
			params []string
			to     string
			text   string
		}{
			{"bob", nil, "", ""},
			{"mona", []string{comment, ""}, "mona@example.com", begins},
			{"alice", []string{comment, " Thank you,\r\n\r\nand farewell.\x00 "}, "alice@example.com",
				begins + "\nMessage from the administrator:\n\nThank you,\n\nand farewell.\n"},
			{"guest", []string{comment, "Bye.", "actions", `{"delete_profile":true}`}, "guest@example.com",
				begins + "\nMessage from the administrator:\n\nBye.\n"},
		} {
			s.deactivate(c.who, c.params...).Is(200, `{"result":"success","msg":""}`)
			got := s.sent()
			switch {
			case c.to == "":
				if len(got) != 0 {
					t.Errorf("%s: %+v", c.who, got)
				}
			case len(got) != 1 || got[0].To != c.to || got[0].Text != c.text ||
				got[0].Subject != "Your account at Acme has been deactivated":
				t.Errorf("%s: %+v, want %q to %s", c.who, got, c.text, c.to)
			}
		}
		if got := s.sent(); len(got) != 0 {
			t.Errorf("sent twice: %+v", got)
		}
	})
}

// Bots get no email, and failed deactivations send none.
func TestNoMail(t *testing.T) {
	s := start(t, kittest.DatabaseURL(t))
	s.deactivate("bot", comment, "").OK()
	s.deactivate("bob", comment, strings.Repeat("x", 2001)).Error(400, "BAD_REQUEST", "too long")
	s.deactivate("olga", comment, "").Error(400, "UNAUTHORIZED_PRINCIPAL", "owner")
	s.deactivate("bob", comment, "", "actions", `{"all":true}`).Error(400, "BAD_REQUEST", "unknown key")
	s.As("bob").Do("DELETE /users/me").OK()
	if got := s.sent(); len(got) != 0 {
		t.Errorf("sent: %+v", got)
	}
}

// An email that could not be sent is sent later, possibly by another node, unless the user has been reactivated. If the
// user is then deactivated again, only one email is sent.
func TestMailRetried(t *testing.T) {
	s := start(t, kittest.DatabaseURL(t))
	s.mails.Fail(errors.New("the mail server is down"))
	s.deactivate("alice", comment, "first").OK()
	s.deactivate("bob", comment, "only").OK()
	s.sent()
	s.Restart()
	s.As("adam").Do(fmt.Sprintf("POST /users/%d/reactivate", s.UserID("alice"))).OK()
	s.mails.Fail(nil)
	s.Clock.Advance(time.Hour)
	if got := s.sent(); len(got) != 1 || got[0].To != "bob@example.com" || !strings.Contains(got[0].Text, "only") {
		t.Errorf("sent: %+v", got)
	}
	s.deactivate("alice", comment, "second").OK()
	if got := s.sent(); len(got) != 1 || !strings.Contains(got[0].Text, "second") {
		t.Errorf("sent: %+v", got)
	}
	count := func() (n int) {
		t.Helper()
		if err := s.App.DB().From(t.Context()).NewRaw("SELECT COUNT(*) FROM deactivation_mails").Scan(t.Context(),
			&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	s.RunJob("deactivationmail.forget_deactivation_mails")
	if n := count(); n != 2 {
		t.Errorf("%d emails are stored", n)
	}
	s.Clock.Advance(31 * 24 * time.Hour)
	s.RunJob("deactivationmail.forget_deactivation_mails")
	if n := count(); n != 0 {
		t.Errorf("%d emails are stored for too long", n)
	}
}
