package oidc_test

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/go-jose/go-jose/v4"

	"github.com/stoachat/stoa/app/kittest"
)

// TestRequests tries to weaken the request of a login, and to have its answer sent elsewhere.
func TestRequests(t *testing.T) {
	p := newIDP(t)
	s := start(t, "", p)
	p.document = func(w http.ResponseWriter, _ *http.Request, m map[string]any) { // PKCE downgrade
		m["code_challenge_methods_supported"] = []string{"plain"}
		writeJSON(w, m)
	}
	for _, query := range []string{
		"?redirect_uri=https://evil.example/", "?next=https://evil.example/", "?code_challenge_method=plain&code_challenge=x",
		"?response_type=token", "?client_id=other", "?state=x&nonce=x", "?scope=admin",
	} {
		to, err := url.Parse(newBrowser(s).do("GET /accounts/login/social/oidc/corp"+query, nil).to)
		if err != nil {
			t.Fatal(err)
		}
		q := to.Query()
		for name, want := range map[string]string{
			"redirect_uri": s.URL + "/complete/oidc/corp/", "code_challenge_method": "S256", "response_type": "code",
			"client_id": "stoa", "scope": "openid email profile",
		} {
			if len(q[name]) != 1 || q.Get(name) != want {
				t.Errorf("%s: %s is %v", query, name, q[name])
			}
		}
		if len(q.Get("code_challenge")) != 43 || len(q.Get("state")) != 43 || len(q.Get("nonce")) != 43 ||
			strings.Contains(to.String(), "evil") {
			t.Errorf("%s leads to %s", query, to)
		}
	}
}

// TestKeyNames lets tokens name their keys by paths and addresses, of which the server asks none.
func TestKeyNames(t *testing.T) {
	p := newIDP(t)
	s := start(t, "", p)
	alice(p)
	for _, kid := range []string{
		"../../keys", p.URL + "/evil", "/dev/null", "1\x00", "1' OR '1'='1", strings.Repeat("1", 10_000),
	} {
		p.sign = func(payload []byte) string {
			signer, err := jose.NewSigner(jose.SigningKey{
				Algorithm: jose.ES256, Key: jose.JSONWebKey{Key: p.key, KeyID: kid},
			}, (&jose.SignerOptions{}).WithHeader("jku", p.URL+"/evil").WithHeader("x5u", p.URL+"/evil"))
			if err != nil {
				t.Fatal(err)
			}
			signed, err := signer.Sign(payload)
			if err != nil {
				t.Fatal(err)
			}
			text, _ := signed.CompactSerialize()
			return text
		}
		b := newBrowser(s)
		if a := b.login(p, ""); a.status != 400 || b.who() != "" {
			t.Errorf("%.40q: %+v", kid, a)
		}
	}
	if p.requests["/evil"] != 0 {
		t.Error("the server asked for a key where a token says")
	}
}

// TestDeactivatedMeanwhile deactivates a user, and turns the organization's invitations on, while they are at the
// provider.
func TestDeactivatedMeanwhile(t *testing.T) {
	p := newIDP(t)
	s := start(t, "", p)
	alice(p)
	if b := newBrowser(s); b.login(p, "").status != 302 || b.who() == "" {
		t.Fatal("alice cannot log in")
	}
	pad := strings.Repeat("0f", 32)
	for _, query := range []string{"", "?mobile_flow_otp=" + pad, "?desktop_flow_otp=" + pad} {
		b := newBrowser(s)
		answer := p.authorize(b.do("GET /accounts/login/social/oidc/corp"+query, nil).to)
		s.As("olga").Do("DELETE /users/" + kittest.JSON(s.UserID("alice"))).OK()
		if a := b.do("GET /complete/oidc/corp/?"+answer.Encode(), nil); a.status != 400 || a.to != "" || b.who() != "" {
			t.Errorf("%s: %+v", query, a)
		}
		s.As("olga").Do("POST /users/" + kittest.JSON(s.UserID("alice")) + "/reactivate").OK()
	}
}

// TestOtherOrganization takes a login that has begun in one organization to another of the same server.
func TestOtherOrganization(t *testing.T) {
	p := newIDP(t)
	config := "http: {rate_limits: {enabled: false}}\nmodules:\n  realm: {domain: 127.0.0.1}\n  oidc:\n    providers:\n" +
		"      - {id: corp, issuer: \"" + p.URL + "\", client_id: stoa, client_secret: hidden}\n"
	s := kittest.StartWith(t, kittest.Options{Config: config}, append(others, extra...)...)
	p.clock = s.Clock
	alice(p)
	s.Do(func(ctx context.Context) error {
		_, err := s.Ports.Realms.Create(ctx, "Cynics", "cynics")
		return err
	})
	const host = "cynics.127.0.0.1"
	for _, way := range []struct{ from, to string }{{"", host}, {host, ""}} {
		b := newBrowser(s)
		b.host = way.from
		answer := p.authorize(b.do("GET /accounts/login/social/oidc/corp", nil).to)
		b.host = way.to
		if a := b.do("GET /complete/oidc/corp/?"+answer.Encode(), nil); a.status != 400 || a.to != "" || b.who() != "" {
			t.Errorf("from %q to %q: %+v", way.from, way.to, a)
		}
		b.host = way.from
		if a := b.do("GET /complete/oidc/corp/?"+answer.Encode(), nil); way.from == "" && a.status != 302 {
			t.Errorf("where it began: %+v", a)
		}
	}
}
