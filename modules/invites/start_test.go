package invites_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stoachat/stoa/adapters/mail/log"
	"github.com/stoachat/stoa/adapters/mail/mailtest"
	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/domain/mail"
	"github.com/stoachat/stoa/modules/accounts"
	"github.com/stoachat/stoa/modules/channels"
	"github.com/stoachat/stoa/modules/events"
	"github.com/stoachat/stoa/modules/groups"
	"github.com/stoachat/stoa/modules/invites"
	"github.com/stoachat/stoa/modules/kit"
	mailmodule "github.com/stoachat/stoa/modules/mail"
	"github.com/stoachat/stoa/modules/messages"
	"github.com/stoachat/stoa/modules/realm"
)

const site = "https://chat.example.com"

func modules(mailer kit.Module) []kit.Module {
	return []kit.Module{
		realm.Module, accounts.Module, groups.Module, channels.Module, messages.Module, events.Module, mailmodule.Module,
		mailer, invites.Module,
	}
}

func TestModule(t *testing.T) {
	others := modules(log.Module)
	kittest.Check(t, invites.Module, others[:len(others)-1]...)
}

// server is a server on which all accounts are old enough to send invitations.
type server struct {
	*kittest.Server
	mails *mailtest.Fake // nil if the server sends none
}

// start starts a server that sends mail. config contains settings of the module.
func start(t *testing.T, config ...string) server {
	t.Helper()
	f := &mailtest.Fake{}
	text := fmt.Sprintf("http: {url: %s, rate_limits: {enabled: false}}\nmodules: {invites: {%s}}", site,
		strings.Join(config, ", "))
	s := server{kittest.StartWith(t, kittest.Options{Config: text}, modules(f.Module())...), f}
	s.endWaitingPeriod()
	return s
}

// startWithoutEmail starts a server that sends no mail.
func startWithoutEmail(t *testing.T, config ...string) server {
	t.Helper()
	return startWithoutEmailOn(t, "", config...)
}

func startWithoutEmailOn(t *testing.T, database string, config ...string) server {
	t.Helper()
	text := fmt.Sprintf("modules: {invites: {%s}}", strings.Join(config, ", "))
	s := server{kittest.StartWith(t, kittest.Options{DatabaseURL: database, Config: text}, modules(log.Module)...),
		nil}
	s.endWaitingPeriod()
	return s
}

func (s server) endWaitingPeriod() {
	s.Clock.Advance(4 * 24 * time.Hour)
	s.Skip()
}

// sent runs the job that sends mail and returns the mail received since the last call.
func (s server) sent() []mail.Message {
	s.T.Helper()
	s.RunJob("mail.send_mails")
	return s.mails.Received()
}

var (
	mailed = regexp.MustCompile(`https://chat\.example\.com/accounts/do_confirm/(\S+)`)
	linked = regexp.MustCompile(`/join/([^/]+)/$`)
)

// key returns the key in the only mail received.
func (s server) key(to string) string {
	s.T.Helper()
	got := s.sent()
	if len(got) != 1 || got[0].To != to {
		s.T.Fatalf("want one mail to %s, got %+v", to, got)
	}
	m := mailed.FindStringSubmatch(got[0].Text)
	if m == nil {
		s.T.Fatalf("no link in the mail:\n%s", got[0].Text)
	}
	return m[1]
}

// invite invites a user by mail and returns the key.
func (s server) invite(who, email string, params ...string) string {
	s.T.Helper()
	if !slices.Contains(params, "stream_ids") {
		params = append(params, "stream_ids", "[]")
	}
	s.As(who).Do("POST /invites", append([]string{"invitee_emails", email}, params...)...).OK()
	return s.key(email)
}

// link creates a link and returns its key.
func (s server) link(who string, params ...string) string {
	s.T.Helper()
	a := s.As(who).Do("POST /invites/multiuse", params...).OK()
	m := linked.FindStringSubmatch(a.String("invite_link"))
	if m == nil {
		s.T.Fatalf("no link: %s", a.Body)
	}
	return m[1]
}

const password = "battery horse staple"

// join joins through the API.
func (s server) join(key, name string, more ...string) *kittest.Response {
	s.T.Helper()
	return s.Anonymous().Do("POST /join", append([]string{"key", key, "full_name", name, "password", password},
		more...)...)
}

// login logs in and returns the client.
func (s server) login(email string) *kittest.Client {
	s.T.Helper()
	key := s.Anonymous().Do("POST /fetch_api_key", "username", email, "password", password).OK().String("api_key")
	return s.WithKey(email, key)
}

// list returns the invitations that a user sees.
func (s server) list(who string) []any {
	s.T.Helper()
	return s.As(who).Do("GET /invites").OK().Get("invites").([]any)
}

// dump returns all rows in the tables of the modules invites and mail.
func (s server) dump() string {
	s.T.Helper()
	var b strings.Builder
	db := s.App.DB().From(s.T.Context())
	for _, table := range []string{"invites", "invite_mails", "invite_secret", "mail_queue"} {
		rows, err := db.QueryContext(s.T.Context(), "SELECT * FROM "+table)
		if err != nil {
			s.T.Fatal(err)
		}
		names, _ := rows.Columns()
		n := 0
		for rows.Next() {
			values := make([]any, len(names))
			for i := range values {
				values[i] = new(any)
			}
			if err := rows.Scan(values...); err != nil {
				s.T.Fatal(err)
			}
			for _, v := range values {
				v := *v.(*any)
				if text, ok := v.([]byte); ok {
					v = string(text)
				}
				fmt.Fprintf(&b, "%v ", v)
			}
			n++
		}
		_ = rows.Close()
		if n == 0 && table != "invite_secret" {
			s.T.Fatalf("nothing in %s", table)
		}
	}
	return b.String()
}
