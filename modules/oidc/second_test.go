package oidc_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stoachat/stoa/domain/secondfactor"
)

// TestIdentityProvider asks for the second factor after a login at a provider, which then can still end the session.
func TestIdentityProvider(t *testing.T) {
	p := newIDP(t)
	s := start(t, "", p)
	alice(p)
	b := newBrowser(s)
	if b.login(p, ""); b.who() != "alice@example.com" {
		t.Fatal("not logged in")
	}
	var app struct{ Secret string }
	act := func(path string, form url.Values, out any) {
		a := b.do("POST /json/stoa/second_factor/"+path, form)
		if err := json.Unmarshal([]byte(a.body), out); err != nil || a.status != http.StatusOK {
			t.Fatalf("%s: %+v", path, a)
		}
	}
	code := func() string {
		code, err := secondfactor.Code(app.Secret, secondfactor.Step(s.Clock.Now()))
		if err != nil {
			t.Fatal(err)
		}
		return code
	}
	act("app", url.Values{}, &app)
	act("app/confirm", url.Values{"code": {code()}}, &struct{}{})
	s.Clock.Advance(time.Minute)
	b = newBrowser(s)
	a := b.login(p, "?next=/%23recent")
	_, step, found := strings.Cut(a.to, "/accounts/second-factor/?step=")
	if !found || b.who() != "" {
		t.Fatalf("%+v %s", a, b.who())
	}
	a = b.do("POST /accounts/second-factor/", url.Values{"step": {step}, "code": {code()}})
	if a.to != "/#recent" || b.who() != "alice@example.com" {
		t.Fatalf("%+v", a)
	}
	claims := map[string]any{
		"iss": p.URL, "aud": "stoa", "iat": s.Clock.Now().Unix(), "exp": s.Clock.Now().Add(time.Minute).Unix(),
		"jti": "j", "sub": p.person["sub"],
		"events": map[string]any{"http://schemas.openid.net/event/backchannel-logout": map[string]any{}},
	}
	form := url.Values{"logout_token": {p.signed(claims)}}
	if a := newBrowser(s).do("POST /oidc/corp/backchannel-logout", form); a.status != http.StatusOK || b.who() != "" {
		t.Errorf("the provider cannot end the session: %+v", a)
	}
}
