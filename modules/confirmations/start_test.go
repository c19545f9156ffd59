package confirmations_test

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/stoachat/stoa/adapters/mail/log"
	"github.com/stoachat/stoa/adapters/mail/mailtest"
	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/domain/mail"
	"github.com/stoachat/stoa/modules/accounts"
	"github.com/stoachat/stoa/modules/channels"
	"github.com/stoachat/stoa/modules/confirmations"
	"github.com/stoachat/stoa/modules/events"
	"github.com/stoachat/stoa/modules/kit"
	mailmodule "github.com/stoachat/stoa/modules/mail"
	"github.com/stoachat/stoa/modules/realm"
)

const site = "https://chat.example.com"

func modules(mailer kit.Module) []kit.Module {
	return []kit.Module{realm.Module, accounts.Module, channels.Module, events.Module, mailmodule.Module, mailer,
		confirmations.Module}
}

func TestModule(t *testing.T) {
	others := modules(log.Module)
	kittest.Check(t, confirmations.Module, others[:len(others)-1]...)
}

type server struct {
	*kittest.Server
	mails *mailtest.Fake
}

// start starts a server that sends email. config configures the module; by default the limits are high.
func start(t *testing.T, config ...string) server {
	t.Helper()
	f := &mailtest.Fake{}
	if len(config) == 0 {
		config = []string{"hourly_per_person: 1000", "daily_per_person: 1000", "daily_per_source: 1000"}
	}
	text := fmt.Sprintf("http: {url: %s, rate_limits: {enabled: false}}\nmodules: {accounts: {change_emails: true, "+
		"password_memory_kib: 64, password_passes: 1}, confirmations: {%s}}",
		site, strings.Join(config, ", "))
	s := server{kittest.StartWith(t, kittest.Options{Config: text}, modules(f.Module())...), f}
	s.Skip()
	return s
}

// sent runs the job that sends email and returns the emails received since the last call.
func (s server) sent() []mail.Message {
	s.T.Helper()
	s.RunJob("mail.send_mails")
	return s.mails.Received()
}

var linkPattern = regexp.MustCompile(`https://chat\.example\.com(/accounts/(?:confirm_new_email|password/reset)/\S+/)`)

// link returns the path of the link in the only email received.
func (s server) link(to string) string {
	s.T.Helper()
	got := s.sent()
	if len(got) != 1 || got[0].To != to {
		s.T.Fatalf("want one mail to %s, got %+v", to, got)
	}
	m := linkPattern.FindStringSubmatch(got[0].Text)
	if m == nil {
		s.T.Fatalf("no link in the mail:\n%s", got[0].Text)
	}
	return m[1]
}

// requestChange requests a change of a user's address and returns the path of the link in the email.
func (s server) requestChange(who, email string) string {
	s.T.Helper()
	s.As(who).Do("PATCH /settings", "email", email).Is(200, `{"result":"success","msg":""}`)
	return s.link(email)
}

const resetPath = "/accounts/password/reset/"

// requestReset requests a password reset and returns the path of the link in the email.
func (s server) requestReset(email string) string {
	s.T.Helper()
	s.want("POST", resetPath, url.Values{"email": {email}}, 200, "If there is an account")
	return s.link(email)
}

const newPassword = "battery horse staple"

func password(p string) url.Values { return url.Values{"password": {p}} }

func (s server) login(email, password string) *kittest.Response {
	s.T.Helper()
	return s.Anonymous().Do("POST /fetch_api_key", "username", email, "password", password)
}

// want requests a page, checks its status and headers and that it contains text, and returns it.
func (s server) want(method, path string, form url.Values, status int, text string) string {
	s.T.Helper()
	got, h, body := s.Page(method, path, form)
	if got != status || !strings.Contains(body, text) {
		s.T.Errorf("%s %s: %d, want %d with %q:\n%s", method, path, got, status, text, body)
	}
	secure(s.T, h, body)
	return body
}

// secure checks that a page with a secret in its URL has safe headers and loads nothing.
func secure(t testing.TB, h http.Header, body string) {
	t.Helper()
	for name, want := range map[string]string{
		"Referrer-Policy": "same-origin", "Cache-Control": "no-store", "X-Frame-Options": "DENY",
		"X-Content-Type-Options": "nosniff",
		"Content-Type":           "text/html; charset=utf-8",
	} {
		if got := h.Get(name); got != want {
			t.Errorf("%s: %q", name, got)
		}
	}
	for _, want := range []string{"default-src 'none'", "form-action 'self'", "frame-ancestors 'none'"} {
		if policy := h.Get("Content-Security-Policy"); !strings.Contains(policy, want) {
			t.Errorf("no %s in the policy: %s", want, policy)
		}
	}
	if script := regexp.MustCompile(`(?s)<script>(.*?)</script>`).FindStringSubmatch(body); script != nil {
		sum := sha256.Sum256([]byte(script[1]))
		allowed := "script-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
		if policy := h.Get("Content-Security-Policy"); !strings.Contains(policy, allowed) {
			t.Errorf("the policy does not allow the script: %s", policy)
		}
		body = strings.Replace(body, script[0], "", 1)
	}
	if strings.Contains(body, "<script") || strings.Contains(body, " src=") || strings.Contains(body, "href=") {
		t.Errorf("the page loads something not allowed: %s", body)
	}
}

const notValid = "This link is not valid"
