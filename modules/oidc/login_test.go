package oidc_test

import (
	"encoding/hex"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stoachat/stoa/app/kittest"
)

// alice makes the person at the provider a user of the server.
func alice(p *idp) { p.person["email"], p.person["name"] = "Alice@Example.com", "Alice" }

func TestLogin(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, database string) {
		p := newIDP(t)
		s := start(t, database, p)
		alice(p)
		var settings struct {
			Methods []struct {
				Name    string `json:"name"`
				Display string `json:"display_name"`
				Login   string `json:"login_url"`
			} `json:"external_authentication_methods"`
		}
		s.Anonymous().Do("GET /server_settings").OK().JSON(&settings)
		if len(settings.Methods) != 1 || settings.Methods[0].Name != "oidc:corp" ||
			settings.Methods[0].Login != "/accounts/login/social/oidc/corp" {
			t.Errorf("%+v", settings)
		}
		b := newBrowser(s)
		if a := b.do("GET /login/", nil); !strings.Contains(a.body, "Log in with Corp") {
			t.Errorf("the login page has no button: %s", a.body)
		}
		if a := b.login(p, "?next=/%23recent"); a.status != 302 || a.to != "/#recent" || b.who() != "alice@example.com" {
			t.Fatalf("%+v %s", a, b.who())
		}
		// The identity stays with the account when the address changes at the provider, even to that of somebody else.
		p.person["email"] = "bob@example.com"
		other := newBrowser(s)
		if a := other.login(p, ""); a.status != 302 || other.who() != "alice@example.com" {
			t.Errorf("%+v %s", a, other.who())
		}
		for _, want := range []string{"identity.connected", "identity.used", "login.succeeded"} {
			if log := s.As("olga").Do("GET /audit_log").OK().Body; !strings.Contains(log, want) ||
				strings.Contains(log, "ada-at-the-provider") {
				t.Errorf("the audit log lacks %s, or contains the subject: %s", want, log)
			}
		}
		s.As("olga").Do("DELETE /users/" + kittest.JSON(s.UserID("alice"))).OK()
		if a := newBrowser(s).login(p, ""); a.status != 400 || !strings.Contains(a.body, "You can&#39;t log in with Corp") {
			t.Errorf("a deactivated user: %+v", a)
		}
	})
}

// TestPassword connects an account that has a password only when it has been entered.
func TestPassword(t *testing.T) {
	p := newIDP(t)
	s := start(t, "", p, "auto_link_verified: false")
	alice(p)
	b := newBrowser(s)
	a := b.login(p, "?next=/x")
	state := regexp.MustCompile(`name="state" value="([^"]*)"`).FindStringSubmatch(a.body)
	if a.status != 200 || state == nil || b.who() != "" {
		t.Fatalf("%+v", a)
	}
	form := func(password string) url.Values { return url.Values{"state": {state[1]}, "password": {password}} }
	if a := newBrowser(s).do("POST /accounts/connect/", form(kittest.Password)); a.status != 400 {
		t.Errorf("another browser: %+v", a)
	}
	if a := b.do("POST /accounts/connect/", form("wrong")); a.status != 200 || !strings.Contains(a.body, "incorrect") {
		t.Errorf("%+v", a)
	}
	if a := b.do("POST /accounts/connect/", form(kittest.Password)); a.status != 302 || a.to != "/x" ||
		b.who() != "alice@example.com" {
		t.Fatalf("%+v", a)
	}
	if a := b.do("POST /accounts/connect/", form(kittest.Password)); a.status != 400 {
		t.Errorf("a second time: %+v", a)
	}
	if c := newBrowser(s); c.login(p, "").status != 302 || c.who() != "alice@example.com" {
		t.Error("the identity is not connected")
	}
	p.person["sub"], p.person["email"] = "bob-at-the-provider", "bob@example.com"
	b = newBrowser(s)
	a = b.login(p, "")
	state = regexp.MustCompile(`name="state" value="([^"]*)"`).FindStringSubmatch(a.body)
	for range 5 {
		b.do("POST /accounts/connect/", form("wrong"))
	}
	if a := b.do("POST /accounts/connect/", form(kittest.Password)); a.status != 400 || b.who() != "" {
		t.Errorf("after five wrong passwords: %+v", a)
	}
}

// TestSignUp creates accounts where the organization or the configuration allows it.
func TestSignUp(t *testing.T) {
	p := newIDP(t)
	s := start(t, "", p)
	s.As("olga").Do("PATCH /realm", "invite_required", "true").OK()
	if a := newBrowser(s).login(p, ""); a.status != 400 || !strings.Contains(a.body, "have an account in") {
		t.Errorf("%+v", a)
	}
	s.As("olga").Do("PATCH /realm", "invite_required", "false").OK()
	b := newBrowser(s)
	if a := b.login(p, ""); a.status != 302 || b.who() != "ada@example.com" {
		t.Fatalf("%+v", a)
	}
	if a := b.do("GET /json/users/me", nil); !strings.Contains(a.body, `"full_name":"Ada Lovelace"`) {
		t.Errorf("%+v", a)
	}

	q := newIDP(t)
	s = start(t, "", q, "auto_signup: true")
	s.As("olga").Do("PATCH /realm", "invite_required", "true", "emails_restricted_to_domains", "true").OK()
	s.As("olga").Do("POST /realm/domains", "domain", "corp.example", "allow_subdomains", "false").OK()
	if a := newBrowser(s).login(q, ""); a.status != 400 {
		t.Errorf("the organization's domains: %+v", a)
	}
	q.person["email"] = "ada@corp.example"
	if b := newBrowser(s); b.login(q, "").status != 302 || b.who() != "ada@corp.example" {
		t.Error(b.who())
	}
}

// TestApps covers the flows of apps to the byte.
func TestApps(t *testing.T) {
	p := newIDP(t)
	s := start(t, "", p)
	alice(p)
	pad := strings.Repeat("5A", 32)
	b := newBrowser(s)
	a := b.login(p, "?mobile_flow_otp="+pad)
	to, err := url.Parse(a.to)
	if err != nil || a.status != 302 || to.Scheme != "zulip" || to.Host != "login" || b.who() != "" {
		t.Fatalf("%+v", a)
	}
	q := to.Query()
	if q.Get("realm") != s.URL || q.Get("email") != "alice@example.com" ||
		q.Get("user_id") != kittest.JSON(s.UserID("alice")) ||
		!regexp.MustCompile(`^[0-9a-f]{64}$`).MatchString(q.Get("otp_encrypted_api_key")) {
		t.Errorf("%v", q)
	}
	key, _ := hex.DecodeString(q.Get("otp_encrypted_api_key"))
	for i := range key {
		key[i] ^= 0x5a
	}
	s.WithKey(q.Get("email"), string(key)).Do("GET /users/me").OK()
	if a := newBrowser(s).login(p, "?desktop_flow_otp="+pad); a.status != 200 ||
		!regexp.MustCompile(`<code class="code">[0-9a-f]{108}</code>`).MatchString(a.body) {
		t.Errorf("%+v", a)
	}
	for _, query := range []string{"?mobile_flow_otp=" + pad[1:], "?mobile_flow_otp=" + pad + "&desktop_flow_otp=" + pad} {
		if a := newBrowser(s).login(p, query); a.status != 400 {
			t.Errorf("%s: %+v", query, a)
		}
	}
	// An app may take an hour, a browser ten minutes.
	for query, life := range map[string]time.Duration{"": 10 * time.Minute, "?mobile_flow_otp=" + pad: time.Hour} {
		b := newBrowser(s)
		start := b.do("GET /accounts/login/social/oidc/corp"+query, nil)
		answer := p.authorize(start.to)
		s.Clock.Advance(life)
		if a := b.do("GET /complete/oidc/corp/?"+answer.Encode(), nil); a.status != 400 {
			t.Errorf("%q after %v: %+v", query, life, a)
		}
	}
	s.RunJob("identities.forget_flows")
}

// TestConnect connects an identity to the account that is logged in, and disconnects it.
func TestConnect(t *testing.T) {
	p := newIDP(t)
	s := start(t, "", p)
	p.person["email"], p.person["email_verified"] = "elsewhere@example.org", false
	b := newBrowser(s)
	if a := b.login(p, ""); a.status != 400 || !strings.Contains(a.body, "does not confirm your email address") {
		t.Errorf("%+v", a)
	}
	b.do("POST /login/", url.Values{"username": {"bob@example.com"}, "password": {kittest.Password}})
	if b.who() != "bob@example.com" {
		t.Fatal("not logged in")
	}
	token := csrf(b)
	ask := func() string {
		t.Helper()
		a := b.json("POST /json/stoa/identities", token, url.Values{"provider": {"oidc:corp"}, "next": {"/#settings"}})
		m := regexp.MustCompile(`"url":"([^"]*)"`).FindStringSubmatch(a.body)
		if m == nil {
			t.Fatalf("%+v", a)
		}
		return strings.TrimPrefix(strings.ReplaceAll(m[1], `\u0026`, "&"), "/accounts/login/social/oidc/corp")
	}
	query := ask()
	if a := newBrowser(s).login(p, query); a.status != 400 {
		t.Errorf("another browser used the URL: %+v", a)
	}
	if a := b.login(p, query); a.status != 302 || a.to != "/#settings" {
		t.Fatalf("%+v", a)
	}
	if a := b.login(p, query); a.status != 400 {
		t.Errorf("a second time: %+v", a)
	}
	if c := newBrowser(s); c.login(p, "").status != 302 || c.who() != "bob@example.com" {
		t.Error("the identity is not connected")
	}
	c := newBrowser(s)
	c.do("POST /login/", url.Values{"username": {"alice@example.com"}, "password": {kittest.Password}})
	b, token = c, csrf(c)
	if a := c.login(p, ask()); a.status != 400 || !strings.Contains(a.body, "connected to another account") {
		t.Errorf("the identity of another account: %+v", a)
	}
	all := s.As("bob").Do("GET /stoa/identities").OK()
	id := all.Int("identities.0.id")
	s.As("alice").Do("DELETE /stoa/identities/"+kittest.JSON(id)).Error(400, "BAD_REQUEST", "No such identity")
	s.As("bob").Do("DELETE /stoa/identities/" + kittest.JSON(id)).OK()
	if a := newBrowser(s).login(p, ""); a.status != 400 {
		t.Errorf("after disconnecting: %+v", a)
	}
}

// csrf returns the CSRF token of the session.
func csrf(b *browser) string {
	b.s.T.Helper()
	a := b.do("GET /accounts/logout/", nil)
	m := regexp.MustCompile(`name="csrfmiddlewaretoken" value="([^"]*)"`).FindStringSubmatch(a.body)
	if m == nil {
		b.s.T.Fatalf("%+v", a)
	}
	return m[1]
}

func (b *browser) json(call, token string, form url.Values) page {
	form.Set("csrfmiddlewaretoken", token)
	return b.do(call, form)
}

// TestGroups gives users the groups and roles that follow from those at the provider.
func TestGroups(t *testing.T) {
	p := newIDP(t)
	s := start(t, "", p, "groups_map: {staff: Staff, ops: Operators}", "roles_map: {admins: admin}",
		"allowed_groups: [staff]")
	for _, name := range []string{"Staff", "Operators"} {
		s.As("olga").Do("POST /user_groups/create", "name", name, "description", "", "members", "[]").OK()
	}
	alice(p)
	role := func() int64 {
		return s.As("olga").Do("GET /users/" + kittest.JSON(s.UserID("alice"))).OK().Int("user.role")
	}
	p.person["groups"] = "guests"
	if a := newBrowser(s).login(p, ""); a.status != 400 {
		t.Errorf("without a group that is required: %+v", a)
	}
	p.person["groups"] = []string{"staff", "admins"}
	if a := newBrowser(s).login(p, ""); a.status != 302 || role() != 200 || !memberOf(s, "Staff", "alice") ||
		memberOf(s, "Operators", "alice") {
		t.Fatalf("%+v %d", a, role())
	}
	p.person["groups"] = []string{"staff", "ops"}
	if a := newBrowser(s).login(p, ""); a.status != 302 || role() != 400 || !memberOf(s, "Operators", "alice") {
		t.Errorf("%+v %d", a, role())
	}
	p.person["sub"], p.person["email"] = "olga", "olga@example.com"
	if a := newBrowser(s).login(p, ""); a.status != 302 ||
		s.As("olga").Do("GET /users/me").OK().Int("role") != 100 {
		t.Errorf("an owner was demoted: %+v", a)
	}
}

func memberOf(s *kittest.Server, group, name string) bool {
	s.T.Helper()
	var all struct {
		Groups []struct {
			Name    string  `json:"name"`
			Members []int64 `json:"members"`
		} `json:"user_groups"`
	}
	s.As("olga").Do("GET /user_groups").OK().JSON(&all)
	for _, g := range all.Groups {
		for _, m := range g.Members {
			if g.Name == group && m == int64(s.UserID(name)) {
				return true
			}
		}
	}
	return false
}

// TestLogoutPage tells a person who logs out that the provider's session remains.
func TestLogoutPage(t *testing.T) {
	p := newIDP(t)
	s := start(t, "", p)
	alice(p)
	b := newBrowser(s)
	b.login(p, "")
	a := b.do("POST /accounts/logout/", url.Values{"csrfmiddlewaretoken": {csrf(b)}})
	if a.status != 200 || !strings.Contains(a.body, `href="`+p.URL+`/logout?client_id=stoa`) || b.who() != "" {
		t.Errorf("%+v", a)
	}
	b.do("POST /login/", url.Values{"username": {"alice@example.com"}, "password": {kittest.Password}})
	if a := b.do("POST /accounts/logout/", url.Values{"csrfmiddlewaretoken": {csrf(b)}}); a.status != 302 {
		t.Errorf("a session that began with a password: %+v", a)
	}
}

// TestLogout ends the sessions of a person who has logged out at the provider.
func TestLogout(t *testing.T) {
	p := newIDP(t)
	s := start(t, "", p)
	alice(p)
	p.person["sid"] = "first"
	first := newBrowser(s)
	first.login(p, "")
	p.person["sid"] = "second"
	second := newBrowser(s)
	second.login(p, "")
	password := newBrowser(s)
	password.do("POST /login/", url.Values{"username": {"alice@example.com"}, "password": {kittest.Password}})
	next := 0
	send := func(change func(map[string]any)) int {
		t.Helper()
		next++
		now := s.Clock.Now()
		claims := map[string]any{
			"iss": p.URL, "aud": "stoa", "iat": now.Unix(), "exp": now.Add(time.Minute).Unix(),
			"jti": strings.Repeat("j", next), "sub": p.person["sub"],
			"events": map[string]any{"http://schemas.openid.net/event/backchannel-logout": map[string]any{}},
		}
		change(claims)
		return newBrowser(s).do("POST /oidc/corp/backchannel-logout",
			url.Values{"logout_token": {p.signed(claims)}}).status
	}
	for name, change := range map[string]func(map[string]any){
		"a nonce":             func(c map[string]any) { c["nonce"] = "n" },
		"no event":            func(c map[string]any) { delete(c, "events") },
		"another audience":    func(c map[string]any) { c["aud"] = "other" },
		"another issuer":      func(c map[string]any) { c["iss"] = "https://evil.example" },
		"neither sub nor sid": func(c map[string]any) { delete(c, "sub") },
		"no ID":               func(c map[string]any) { delete(c, "jti") },
		"long ago":            func(c map[string]any) { c["iat"] = s.Clock.Now().Add(-time.Hour).Unix() },
	} {
		if got := send(change); got != http.StatusBadRequest || first.who() == "" {
			t.Errorf("%s: %d", name, got)
		}
	}
	if got := send(func(c map[string]any) { c["sid"] = "first" }); got != 200 || first.who() != "" || second.who() == "" {
		t.Errorf("%d: one session", got)
	}
	repeated := func(c map[string]any) { c["jti"] = "same" }
	if got := send(repeated); got != 200 || second.who() != "" || password.who() == "" {
		t.Errorf("%d: all sessions that began there", got)
	}
	if got := send(repeated); got != http.StatusBadRequest {
		t.Errorf("%d: a token was accepted twice", got)
	}
}
