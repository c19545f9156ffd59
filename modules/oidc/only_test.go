package oidc_test

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stoachat/stoa/app/kittest"
)

// TestWithoutPasswords turns passwords off: people log in at the provider, and owners with a second factor also with
// their password.
func TestWithoutPasswords(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, database string) {
		p := newIDP(t)
		s := start(t, database, p)
		turn := func(on string) *kittest.Response {
			return s.As("olga").Do("PATCH /realm", "authentication_methods", `{"Email":`+on+`}`)
		}
		turn("false").Error(400, "BAD_REQUEST", "must set up a second factor")
		s.As("adam").Do("PATCH /realm", "authentication_methods", `{"Email":false}`).Error(400, "UNAUTHORIZED_PRINCIPAL", "")
		p.person = map[string]any{"sub": "olga", "email": "olga@example.com", "email_verified": true, "name": "Olga"}
		code := setUpApp(t, s, newBrowser(s), p)
		turn("false").OK()

		for _, name := range []string{"alice", "olga", "adam"} {
			for _, password := range []string{kittest.Password, "wrong"} {
				s.Anonymous().Do("POST /fetch_api_key", "username", name+"@example.com", "password", password).
					Error(401, "PASSWORD_AUTH_DISABLED", "Password authentication is disabled in this organization")
			}
		}
		s.As("alice").Do("PATCH /settings", "old_password", kittest.Password, "new_password", "persimmon-otter-4711").
			Error(400, "BAD_REQUEST", "Password authentication is disabled")
		b := newBrowser(s)
		a := b.do("GET /login/?next=/x", nil)
		if strings.Contains(a.body, "<form") || !strings.Contains(a.body, "owner=1") {
			t.Errorf("the login page: %s", a.body)
		}
		if a := b.do("GET /login/?owner=1", nil); !strings.Contains(a.body, "<form") {
			t.Errorf("the owners' page: %s", a.body)
		}
		login := func(name, password string) page {
			b = newBrowser(s)
			return b.do("POST /login/", url.Values{"username": {name + "@example.com"}, "password": {password}, "owner": {"1"}})
		}
		for _, a := range []page{login("alice", kittest.Password), login("adam", kittest.Password), login("olga", "wrong")} {
			if a.status != 200 || a.to != "" || b.who() != "" || !strings.Contains(a.body, "password is incorrect") {
				t.Errorf("%+v", a)
			}
		}
		s.Clock.Advance(time.Minute)
		_, step, found := strings.Cut(login("olga", kittest.Password).to, "/accounts/second-factor/?step=")
		if !found || b.who() != "" {
			t.Fatal("the owner is not asked for the second factor")
		}
		b.do("POST /accounts/second-factor/", url.Values{"step": {step}, "code": {code()}})
		if b.who() != "olga@example.com" {
			t.Errorf("the owner could not log in")
		}
		p.person = map[string]any{"sub": "alice", "email": "alice@example.com", "email_verified": true, "name": "Alice"}
		if b = newBrowser(s); b.login(p, "").status != 302 || b.who() != "alice@example.com" {
			t.Error("nobody can log in at the provider")
		}
		turn("true").OK()
		s.Anonymous().Do("POST /fetch_api_key", "username", "alice@example.com", "password", kittest.Password).OK()
	})
}
