package oidc_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"go.yaml.in/yaml/v3"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/modules/oidc"
)

// keyFile writes a private key to a file.
func keyFile(t *testing.T) (*ecdsa.PrivateKey, string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "key.pem")
	if err := os.WriteFile(name, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}), 0o600); err != nil {
		t.Fatal(err)
	}
	return key, name
}

// statement returns the claims of a token that the server has signed with its key.
func statement(t *testing.T, key *ecdsa.PrivateKey, token string) map[string]any {
	t.Helper()
	signed, err := jose.ParseSignedCompact(token, []jose.SignatureAlgorithm{jose.ES256})
	if err != nil {
		t.Errorf("%q: %v", token, err)
		return nil
	}
	payload, err := signed.Verify(key.Public())
	if err != nil || signed.Signatures[0].Header.KeyID != "k1" {
		t.Errorf("%v %+v", err, signed.Signatures[0].Header)
		return nil
	}
	c := map[string]any{}
	if err := json.Unmarshal(payload, &c); err != nil {
		t.Error(err)
	}
	return c
}

// TestPrivateKey signs who the server is instead of sending a secret, in the login and in its pushed request.
func TestPrivateKey(t *testing.T) {
	p := newIDP(t)
	key, file := keyFile(t)
	s := configured(t, "", p, "id: corp", "client_key_file: "+file, "client_key_id: k1")
	alice(p)
	p.document = announce(p, "private_key_jwt")
	seen := map[any]bool{}
	p.client = func(r *http.Request) bool {
		c := statement(t, key, r.PostFormValue("client_assertion"))
		now, fresh := s.Clock.Now().Unix(), !seen[c["jti"]]
		seen[c["jti"]] = true
		return fresh && c["iss"] == "stoa" && c["sub"] == "stoa" && c["aud"] == p.URL+"/token" &&
			c["iat"] == float64(now) && c["exp"] == float64(now+60) && !r.PostForm.Has("client_secret") &&
			r.PostFormValue("client_assertion_type") == "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
	}
	b := newBrowser(s)
	if a := b.login(p, ""); b.who() != "alice@example.com" || len(seen) != 2 {
		t.Errorf("%+v, %d statements", a, len(seen))
	}
}

// announce returns a discovery document that offers pushed requests.
func announce(p *idp, methods ...string) func(http.ResponseWriter, *http.Request, map[string]any) {
	return func(w http.ResponseWriter, _ *http.Request, m map[string]any) {
		m["pushed_authorization_request_endpoint"] = p.URL + "/push"
		m["token_endpoint_auth_methods_supported"] = methods
		writeJSON(w, m)
	}
}

// TestPushedRequests sends the request of a login to the provider before the browser.
func TestPushedRequests(t *testing.T) {
	for _, method := range []string{"client_secret_basic", "client_secret_post"} {
		p := newIDP(t)
		s := start(t, "", p)
		alice(p)
		p.document = announce(p, method)
		b := newBrowser(s)
		if a := b.login(p, "?next=/x"); a.to != "/x" || b.who() != "alice@example.com" || p.requests["/push"] != 1 {
			t.Errorf("%s: %+v, %v", method, a, p.requests)
		}
		p.client = func(*http.Request) bool { return false }
		if a := newBrowser(s).do("GET /accounts/login/social/oidc/corp", nil); a.status != 503 || a.to != "" {
			t.Errorf("%s: a provider that refuses: %+v", method, a)
		}
	}
	p := newIDP(t)
	s := start(t, "", p, "pushed_requests: false")
	alice(p)
	p.document = announce(p)
	b := newBrowser(s)
	if b.login(p, ""); b.who() != "alice@example.com" || p.requests["/push"] != 0 {
		t.Errorf("turned off: %v", p.requests)
	}
	p = newIDP(t)
	s = start(t, "", p)
	p.document = func(w http.ResponseWriter, _ *http.Request, m map[string]any) {
		m["pushed_authorization_request_endpoint"] = "http://169.254.169.254/push"
		writeJSON(w, m)
	}
	if a := newBrowser(s).do("GET /accounts/login/social/oidc/corp", nil); a.status != 503 || a.to != "" {
		t.Errorf("an endpoint without https: %+v", a)
	}
}

// TestApple logs in as Apple does: with a secret that a key signs, and an answer in a form.
func TestApple(t *testing.T) {
	p := newIDP(t)
	key, file := keyFile(t)
	s := configured(t, "", p, "preset: apple", "client_key_file: "+file, "client_key_id: k1", "team_id: team",
		"auto_signup: true")
	p.person = map[string]any{"sub": "001", "email": "relay@privaterelay.appleid.com", "email_verified": "true"}
	p.document = func(w http.ResponseWriter, _ *http.Request, m map[string]any) {
		delete(m, "userinfo_endpoint")
		writeJSON(w, m)
	}
	p.client = func(r *http.Request) bool {
		c := statement(t, key, r.PostFormValue("client_secret"))
		return c["iss"] == "team" && c["sub"] == "stoa" && c["aud"] == p.URL && c["exp"].(float64)-c["iat"].(float64) == 60
	}
	b := newBrowser(s)
	to := b.do("GET /accounts/login/social/apple", nil).to
	if !strings.Contains(to, "response_mode=form_post") || !strings.Contains(to, "scope=openid+email+name") {
		t.Error(to)
	}
	answer := p.authorize(to)
	if a := b.do("GET /complete/apple/?"+answer.Encode(), nil); a.status != http.StatusMethodNotAllowed || b.who() != "" {
		t.Errorf("an answer in the address: %+v", a)
	}
	answer.Set("user", `{"name":{"firstName":"Ada","lastName":"Lovelace"},"email":"olga@example.com"}`)
	if a := b.do("POST /complete/apple/", answer); a.status != 302 || b.who() != "relay@privaterelay.appleid.com" {
		t.Fatalf("%+v %s", a, b.who())
	}
	if a := b.do("GET /json/users/me", nil); !strings.Contains(a.body, "Ada Lovelace") {
		t.Error(a.body)
	}
	if a := b.do("POST /complete/apple/", answer); a.status != 400 {
		t.Errorf("an answer was accepted twice: %+v", a)
	}
}

// TestRevokeKeys revokes the API keys of a person who has logged out at the provider, if it is configured so.
func TestRevokeKeys(t *testing.T) {
	for _, revokes := range []bool{false, true} {
		p := newIDP(t)
		s := start(t, "", p, "revoke_keys_on_logout: "+kittest.JSON(revokes))
		alice(p)
		newBrowser(s).login(p, "")
		now := s.Clock.Now()
		token := p.signed(map[string]any{
			"iss": p.URL, "aud": "stoa", "iat": now.Unix(), "exp": now.Add(time.Minute).Unix(), "jti": "1",
			"sub":    p.person["sub"],
			"events": map[string]any{"http://schemas.openid.net/event/backchannel-logout": map[string]any{}},
		})
		if a := newBrowser(s).do("POST /oidc/corp/backchannel-logout", url.Values{"logout_token": {token}}); a.status != 200 {
			t.Fatalf("%+v", a)
		}
		want := map[bool]int{false: 200, true: 401}[revokes]
		if a := s.As("alice").Do("GET /users/me"); a.Status != want {
			t.Errorf("%v: %d %s", revokes, a.Status, a.Body)
		}
		s.As("olga").Do("GET /users/me").OK()
	}
}

// TestKeyConfig checks what stoa config check finds about keys.
func TestKeyConfig(t *testing.T) {
	_, file := keyFile(t)
	other := filepath.Join(t.TempDir(), "other.pem")
	text := []byte("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n")
	if err := os.WriteFile(other, text, 0o600); err != nil {
		t.Fatal(err)
	}
	const corp, apple = "id: a, issuer: 'https://a', client_id: s, ", "preset: apple, client_id: s, "
	for keys, want := range map[string]string{
		corp + "client_key_file: /nowhere":                                             "client_key_file: open",
		corp + "client_key_file: " + other:                                             "no private key in PEM",
		corp + "client_secret: x, client_key_file: " + file:                            "a secret is set as well",
		corp + "scopes: [email], client_key_file: " + file:                             "scopes: want openid",
		apple + "client_secret: x":                                                     "client_key_file: is missing",
		apple + "client_key_id: k, client_key_file: " + file:                           "team_id: is missing",
		"preset: github, client_id: s":                                                 "client_secret: is missing",
		"preset: github, client_id: s, client_secret: x, issuer: 'http://github.test'": "issuer: want a URL with https",
	} {
		var c oidc.Config
		if err := yaml.Unmarshal([]byte("providers: [{"+keys+"}]"), &c); err != nil {
			t.Fatal(err)
		}
		if err := c.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", keys, err)
		}
	}
}
