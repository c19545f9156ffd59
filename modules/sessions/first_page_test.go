package sessions_test

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/adapters/mail/log"
	"github.com/stoachat/stoa/adapters/mail/mailtest"
	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/domain/signin"
	"github.com/stoachat/stoa/modules/accounts"
	"github.com/stoachat/stoa/modules/kit"
)

// elsewhere is a module with another login method.
func elsewhere() kit.Module {
	type needs struct{ fx.In }
	return kit.Define("elsewhere", "Logs people in.", kit.None{}, func(kit.None, needs) (kit.Parts, error) {
		return kit.Parts{Answers: []kit.Answer{kit.Answers(func(context.Context, signin.Methods) ([]signin.Method, error) {
			return []signin.Method{{Name: "sso", DisplayName: "Acme <SSO>", LoginURL: "/accounts/login/sso"}}, nil
		})}}, nil
	})
}

// TestFirstPage checks that visitors first see the login form, with the organization that they log in to, other login
// methods, and the apps' instructions below.
func TestFirstPage(t *testing.T) {
	s := kittest.Start(t, append([]kit.Module{elsewhere()}, modules...)...)
	s.As("olga").Do("PATCH /realm", "description", "We **row** <b>:tada:").OK()
	if got := s.Anonymous().Do("GET /server_settings").OK().String("external_authentication_methods.0.login_url"); got !=
		"/accounts/login/sso" {
		t.Errorf("apps receive %q", got)
	}
	for _, path := range []string{"/", "/login/"} {
		a := (&browser{s: s}).do("GET "+path, nil)
		last := 0
		for _, want := range []string{
			`<link rel="icon" href="/static/stoa/icon.svg">`, `src="/static/stoa/icon.svg"`, "<h1>Log in to Stoics</h1>", "We row &lt;b&gt;🎉",
			`<form method="post" action="/login/">`, `name="next" value="/"`, `name="password"`,
			`href="/accounts/login/sso?next=%2f"`, "Log in with Acme &lt;SSO&gt;",
			"Ask a member for an invitation link", "zulip-term", "<strong>" + s.URL + "</strong>",
		} {
			at := strings.Index(a.body, want)
			if at < last {
				t.Errorf("%s: %q is missing or too early in\n%s", path, want, a.body)
			}
			last = max(last, at)
		}
		if policy := a.header.Get("Content-Security-Policy"); a.status != 200 || !strings.Contains(policy, "img-src 'self'") {
			t.Errorf("%s: %d %s", path, a.status, policy)
		}
	}
	if _, h, _ := s.Page("GET", "/accounts/password/reset/", nil); strings.Contains(h.Get("Content-Security-Policy"),
		"img-src") {
		t.Error("pages without images may load images")
	}
	b := &browser{s: s, cookie: "nonsense"}
	if a := b.do("GET /", nil); !strings.Contains(a.body, `action="/login/"`) || a.set == nil || a.set.MaxAge >= 0 {
		t.Errorf("with an invalid session: %v %s", a.set, a.body)
	}
	if a := b.do("POST /login/", credentials("alice")); a.status != http.StatusFound || a.header.Get("Location") != "/" {
		t.Errorf("%d %v", a.status, a.header)
	}
	if a := b.do("GET /", nil); !strings.Contains(a.body, "You are logged in") {
		t.Errorf("logged in: %s", a.body)
	}
}

// TestForgottenPassword checks that the login page says whom to ask for a new password if the server sends no email. It
// names an owner only if visitors can see users.
func TestForgottenPassword(t *testing.T) {
	const forgot = `href="/accounts/password/reset/"`
	login := func(s *kittest.Server) string {
		_, _, body := s.Page("GET", "/login/", nil)
		if strings.Contains(body, "stoa user") {
			t.Errorf("visitors see a command of the operator: %s", body)
		}
		return body
	}
	s := kittest.StartWith(t, kittest.Options{Config: "modules: {channels: {web_public_streams: true}}"}, modules...)
	if body := login(s); !strings.Contains(body, "Ask an owner of the organization for a link") ||
		strings.Contains(body, forgot) || strings.Contains(body, "Olga") {
		t.Errorf("without email: %s", body)
	}
	s.As("olga").Do("PATCH /realm", "enable_spectator_access", "true").OK()
	if body := login(s); !strings.Contains(body, "Ask Olga for a link to set a new one.") {
		t.Errorf("if visitors see users: %s", body)
	}
	f := &mailtest.Fake{}
	with := kittest.StartWith(t, kittest.Options{Config: "http: {url: https://chat.example.com}"},
		replaced(log.Module, f.Module())...)
	if body := login(with); !strings.Contains(body, forgot) || strings.Contains(body, "Ask an owner") {
		t.Errorf("with email: %s", body)
	}
}

// replaced returns the modules with one replaced by another.
func replaced(old, new kit.Module) []kit.Module {
	var all []kit.Module
	for _, m := range modules {
		if m.Name == old.Name {
			m = new
		}
		all = append(all, m)
	}
	return all
}

// TestPasswordLength checks that each way to choose a password states and enforces the configured minimum length, in
// characters.
func TestPasswordLength(t *testing.T) {
	s := kittest.StartWith(t, kittest.Options{Config: "modules: {accounts: {password_min_length: 11}}"}, modules...)
	start := s.As("alice").Do("POST /register", "fetch_event_types", `["realm"]`).OK()
	if got := start.Int("password_min_length"); got != 11 {
		t.Errorf("clients receive %d", got)
	}
	const short, long, refusal = "zehn Äöüß!", "zehn Äöüß!!", "The password must have at least 11 characters."
	olga := s.As("olga")
	olga.Do("PATCH /settings", "old_password", kittest.Password, "new_password", short).Error(400, "BAD_REQUEST", refusal)
	olga.Do("POST /users", "email", "new@example.com", "full_name", "New", "password", short).
		Error(400, "BAD_REQUEST", refusal)
	path := func(link string) string {
		u, err := url.Parse(link)
		if err != nil {
			t.Fatal(err)
		}
		return u.Path
	}
	join := path(olga.Do("POST /invites/multiuse").OK().String("invite_link"))
	reset := path(olga.Do(fmt.Sprintf("POST /users/%d/password_reset_link", s.UserID("alice"))).OK().String("reset_link"))
	for _, page := range []string{join, reset} {
		b := &browser{s: s}
		if a := b.do("GET "+page, nil); !strings.Contains(a.body, `minlength="11"`) ||
			!strings.Contains(a.text(), "From 11 to 100 characters.") {
			t.Errorf("%s: %s", page, a.body)
		}
		form := url.Values{"email": {"eve@example.com"}, "full_name": {"Eve"}, "password": {short}}
		if a := b.do("POST "+page, form); a.status != 400 || !strings.Contains(a.text(), refusal) {
			t.Errorf("%s: %d %s", page, a.status, a.body)
		}
		form.Set("password", long)
		if a := b.do("POST "+page, form); a.status >= 400 {
			t.Errorf("%s: %d %s", page, a.status, a.body)
		}
	}
	if err := (accounts.Config{}).Validate(); err == nil {
		t.Error("passwords may be empty")
	}
}
