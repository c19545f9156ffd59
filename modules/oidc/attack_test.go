package oidc_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/stoachat/stoa/app/kittest"
)

// TestTokens lets a provider, or somebody who poses as it, issue tokens that must be refused.
func TestTokens(t *testing.T) {
	p := newIDP(t)
	s := start(t, "", p)
	alice(p)
	stranger, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	public, err := x509.MarshalPKIXPublicKey(p.key.Public())
	if err != nil {
		t.Fatal(err)
	}
	set := func(name string, value any) func() {
		return func() { p.change = func(c map[string]any) { c[name] = value } }
	}
	ago := func(d time.Duration) int64 { return s.Clock.Now().Add(-d).Unix() }
	old := ""
	for _, attack := range []struct {
		name string
		do   func()
	}{
		{"an address that is not verified", func() { p.person["email_verified"] = false }},
		{"an address that is not verified, as text", func() { p.person["email_verified"] = "false" }},
		{"an address of which nothing is said", func() { delete(p.person, "email_verified") }},
		{"the algorithm none", func() { p.sign = unsigned }},
		{"HS256 with the public key", func() {
			p.sign = func(b []byte) string { return sign(t, jose.HS256, public, b) }
		}},
		{"HS256 with the client secret", func() {
			p.sign = func(b []byte) string { return sign(t, jose.HS256, []byte(strings.Repeat("hidden", 6)), b) }
		}},
		{"another key", func() { p.sign = func(b []byte) string { return sign(t, jose.ES256, stranger, b) } }},
		{"a signature that was cut off", func() {
			p.sign = func(b []byte) string {
				signed := sign(t, jose.ES256, p.key, b)
				return signed[:strings.LastIndex(signed, ".")+1]
			}
		}},
		{"another issuer", set("iss", "https://evil.example")},
		{"the issuer with a slash", set("iss", p.URL+"/")},
		{"another audience", set("aud", "other")},
		{"several audiences and no authorized party", set("aud", []string{"stoa", "other"})},
		{"another authorized party", set("azp", "other")},
		{"another nonce", set("nonce", "other")},
		{"no nonce", func() { p.change = func(c map[string]any) { delete(c, "nonce") } }},
		{"expired", func() { set("exp", ago(2*time.Minute))() }},
		{"from the future", func() { set("iat", ago(-2*time.Minute))() }},
		{"without a time", func() { p.change = func(c map[string]any) { delete(c, "iat") } }},
		{"the hash of another access token", set("at_hash", "AAAAAAAAAAAAAAAAAAAAAA")},
		{"a subject that is too long", set("sub", strings.Repeat("s", 256))},
		{"a subject that is not ASCII", set("sub", "ada\u0000")},
		{"no subject", set("sub", "")},
		{"the token of an earlier login", func() {
			p.token = func(w http.ResponseWriter, _ *http.Request, _ string) {
				writeJSON(w, map[string]any{"access_token": "a", "token_type": "Bearer", "id_token": old})
			}
		}},
		{"no ID token", func() {
			p.token = func(w http.ResponseWriter, _ *http.Request, _ string) {
				writeJSON(w, map[string]any{"access_token": "a", "token_type": "Bearer"})
			}
		}},
		{"another type of token", func() {
			p.token = func(w http.ResponseWriter, _ *http.Request, id string) {
				writeJSON(w, map[string]any{"access_token": "a", "token_type": "mac", "id_token": id})
			}
		}},
		{"a redirect instead of tokens", func() {
			p.token = func(w http.ResponseWriter, r *http.Request, _ string) {
				http.Redirect(w, r, p.URL+"/secret", http.StatusTemporaryRedirect)
			}
		}},
		{"ten megabytes of tokens", func() {
			p.token = func(w http.ResponseWriter, _ *http.Request, _ string) { flood(w) }
		}},
		{"data of somebody else", func() {
			delete(p.person, "email")
			p.info = map[string]any{"sub": "somebody else", "email": "alice@example.com", "email_verified": true}
		}},
		{"an address in one place, verified in the other", func() {
			p.person["email_verified"] = nil
			delete(p.person, "name")
			p.info = map[string]any{"sub": p.person["sub"], "email": "other@example.org", "email_verified": true}
		}},
	} {
		t.Run(attack.name, func(t *testing.T) {
			p.change = func(c map[string]any) { old = p.signed(c) }
			if old == "" {
				newBrowser(s).login(p, "?mobile_flow_otp="+strings.Repeat("00", 32)) // a valid token, for replays
				s.As("alice").Do("DELETE /stoa/identities/" + kittest.JSON(
					s.As("alice").Do("GET /stoa/identities").OK().Int("identities.0.id"))).OK()
			}
			p.change, p.sign, p.token, p.info = nil, nil, nil, nil
			p.person = map[string]any{
				"sub": "ada-at-the-provider", "email": "alice@example.com", "email_verified": true, "name": "Alice",
			}
			attack.do()
			b := newBrowser(s)
			if a := b.login(p, ""); a.status != http.StatusBadRequest || b.who() != "" {
				t.Errorf("%+v %s", a, b.who())
			}
			if got := len(s.As("alice").Do("GET /stoa/identities").OK().Get("identities").([]any)); got != 0 {
				t.Errorf("%d identities are connected", got)
			}
		})
	}
	if p.requests["/secret"] != 0 {
		t.Error("the server followed a redirect of the provider")
	}
}

func flood(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write([]byte(`{"access_token":"`))
	for range 10 << 10 {
		_, _ = w.Write([]byte(strings.Repeat("a", 1<<10)))
	}
	_, _ = w.Write([]byte(`"}`))
}

// TestFlows attacks the steps between the browser, the server and the provider.
func TestFlows(t *testing.T) {
	p := newIDP(t)
	s := start(t, "", p)
	alice(p)
	begin := func(b *browser) url.Values { return p.authorize(b.do("GET /accounts/login/social/oidc/corp", nil).to) }
	finish := func(b *browser, answer url.Values) page {
		return b.do("GET /complete/oidc/corp/?"+answer.Encode(), nil)
	}
	victim, attacker := newBrowser(s), newBrowser(s)
	// Login CSRF: the attacker's answer in the victim's browser.
	begin(victim)
	if a := finish(victim, begin(attacker)); a.status != 400 || victim.who() != "" {
		t.Errorf("an answer for another browser: %+v", a)
	}
	if a := finish(newBrowser(s), begin(attacker)); a.status != 400 {
		t.Errorf("an answer for a browser without a cookie: %+v", a)
	}
	answer := begin(victim)
	if a := finish(victim, answer); a.status != 302 || victim.who() == "" {
		t.Fatalf("%+v", a)
	}
	if a := finish(victim, answer); a.status != 400 {
		t.Errorf("an answer was accepted twice: %+v", a)
	}
	first, second := begin(attacker), begin(attacker) // two tabs
	if finish(attacker, first).status != 302 || finish(attacker, second).status != 302 {
		t.Error("logins in two tabs")
	}
	for name, change := range map[string]func(url.Values){
		"the issuer of another provider": func(q url.Values) { q.Set("iss", "https://other.example") },
		"another code":                   func(q url.Values) { q.Set("code", "other") },
		"no code":                        func(q url.Values) { q.Del("code") },
		"another state":                  func(q url.Values) { q.Set("state", strings.Repeat("a", 43)) },
		"no state":                       func(q url.Values) { q.Del("state") },
		"an error":                       func(q url.Values) { q.Set("error", "access_denied\x00") },
	} {
		b := newBrowser(s)
		q := begin(b)
		change(q)
		if a := finish(b, q); a.status != 400 || b.who() != "" || strings.Contains(a.body, "access_denied") {
			t.Errorf("%s: %+v", name, a)
		}
	}
	// A code that was exchanged once.
	b := newBrowser(s)
	q := begin(b)
	used := q.Get("code")
	finish(b, q)
	q = begin(b)
	q.Set("code", used)
	if a := finish(b, q); a.status != 400 {
		t.Errorf("a code was accepted twice: %+v", a)
	}
	for _, next := range []string{
		"//evil.example", `/\evil.example`, "https://evil.example", "/\tx", "javascript:alert(1)",
	} {
		if a := newBrowser(s).login(p, "?next="+url.QueryEscape(next)); a.status != 302 || a.to != "/" {
			t.Errorf("%s leads to %s", next, a.to)
		}
	}
	for _, path := range []string{"/accounts/login/social/oidc", "/accounts/login/social/oidc/other",
		"/complete/oidc/", "/complete/oidc/other/", "/accounts/login/social/oidc/corp/x"} {
		if a := newBrowser(s).do("GET "+path, nil); a.status != 404 {
			t.Errorf("%s: %+v", path, a)
		}
	}
}

// TestProviders checks that a provider that fails or lies about itself is reported to the person who logs in, and that
// passwords still work.
func TestProviders(t *testing.T) {
	for name, do := range map[string]func(p *idp){
		"another issuer": func(p *idp) {
			p.document = func(w http.ResponseWriter, _ *http.Request, m map[string]any) {
				m["issuer"] = "https://evil.example"
				writeJSON(w, m)
			}
		},
		"a redirect to an address of the cloud": func(p *idp) {
			p.document = func(w http.ResponseWriter, r *http.Request, _ map[string]any) {
				http.Redirect(w, r, p.URL+"/169.254.169.254", http.StatusFound)
			}
		},
		"an endpoint without TLS": func(p *idp) {
			p.document = func(w http.ResponseWriter, _ *http.Request, m map[string]any) {
				m["token_endpoint"] = "http://id.example.com/token"
				writeJSON(w, m)
			}
		},
		"ten megabytes": func(p *idp) {
			p.document = func(w http.ResponseWriter, _ *http.Request, _ map[string]any) { flood(w) }
		},
		"an error": func(p *idp) {
			p.document = func(w http.ResponseWriter, _ *http.Request, _ map[string]any) { w.WriteHeader(500) }
		},
		"silence": func(p *idp) {
			p.document = func(_ http.ResponseWriter, r *http.Request, _ map[string]any) { <-r.Context().Done() }
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := newIDP(t)
			s := start(t, "", p, "timeout: 300ms")
			alice(p)
			do(p)
			for range 2 {
				if a := newBrowser(s).login(p, ""); a.status != 503 || !strings.Contains(a.body, "Corp does not respond") {
					t.Errorf("%+v", a)
				}
			}
			if n := p.requests["/.well-known/openid-configuration"]; n != 1 || p.requests["/169.254.169.254"] != 0 {
				t.Errorf("%d requests: %v", n, p.requests)
			}
			b := newBrowser(s)
			b.do("POST /login/", url.Values{"username": {"bob@example.com"}, "password": {kittest.Password}})
			if b.who() != "bob@example.com" {
				t.Error("passwords do not work")
			}
			p.document = nil
			s.Clock.Advance(30 * time.Second)
			if c := newBrowser(s); c.login(p, "").status != 302 || c.who() != "alice@example.com" {
				t.Error("the provider works again, but nobody can log in")
			}
		})
	}
}

// TestKeys lets a provider serve bad keys, and then new ones.
func TestKeys(t *testing.T) {
	p := newIDP(t)
	s := start(t, "", p, "timeout: 300ms")
	alice(p)
	release := make(chan struct{})
	t.Cleanup(func() { close(release) })
	for name, keys := range map[string]func(http.ResponseWriter){
		"ten megabytes": flood,
		"nothing":       func(w http.ResponseWriter) { w.WriteHeader(404) },
		"silence":       func(http.ResponseWriter) { <-release },
		"no keys":       func(w http.ResponseWriter) { writeJSON(w, map[string]any{"keys": []any{}}) },
	} {
		p.keys = keys
		if a := newBrowser(s).login(p, ""); a.status == 302 {
			t.Errorf("%s: %+v", name, a)
		}
	}
	p.keys = nil
	if b := newBrowser(s); b.login(p, "").status != 302 {
		t.Error("the right keys")
	}
	var err error
	if p.key, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader); err != nil {
		t.Fatal(err)
	}
	if a := newBrowser(s).login(p, ""); a.status != 302 {
		t.Errorf("after the provider has changed its keys: %+v", a)
	}
}

// TestTwoProviders keeps apart people of two providers with the same subject.
func TestTwoProviders(t *testing.T) {
	p, q := newIDP(t), newIDP(t)
	s := start(t, "", p, "}\n      - {id: other, issuer: \""+q.URL+"\", client_id: stoa, client_secret: hidden")
	q.clock = s.Clock
	alice(p)
	p.person["email_verified"] = true
	state := newBrowser(s)
	if a := state.login(p, ""); a.status != 200 { // with two providers, the account's password is needed
		t.Errorf("%+v", a)
	}
	q.person["email"] = "bob@example.com"
	b := newBrowser(s)
	a := b.do("GET /accounts/login/social/oidc/other", nil)
	answer := q.authorize(a.to)
	if a := b.do("GET /complete/oidc/corp/?"+answer.Encode(), nil); a.status != 400 {
		t.Errorf("the answer of one provider was accepted for the other: %+v", a)
	}
	if a := b.do("GET /complete/oidc/other/?"+answer.Encode(), nil); a.status == 302 && b.who() == "alice@example.com" {
		t.Errorf("the same subject at another provider: %+v", a)
	}
}
