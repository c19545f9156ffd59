package oidc_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/domain/secondfactor"
)

// TestIdentityProvider asks for the second factor after a login at a provider, which then can still end the session.
func TestIdentityProvider(t *testing.T) {
	p := newIDP(t)
	s := start(t, "", p)
	alice(p)
	b := newBrowser(s)
	app := setUpApp(t, s, b, p)
	s.Clock.Advance(time.Minute)
	b = newBrowser(s)
	a := b.login(p, "?next=/%23recent")
	_, step, found := strings.Cut(a.to, "/accounts/second-factor/?step=")
	if !found || b.who() != "" {
		t.Fatalf("%+v %s", a, b.who())
	}
	a = b.do("POST /accounts/second-factor/", url.Values{"step": {step}, "code": {app()}})
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

// TestSecondFactorOfProvider checks that people are spared the second factor if the ID token says that the provider has
// asked for one, in a way that the configuration trusts.
func TestSecondFactorOfProvider(t *testing.T) {
	p := newIDP(t)
	s := start(t, "", p, "second_factor_amr: [mfa, hwk]", "second_factor_acr: [gold]")
	alice(p)
	setUpApp(t, s, newBrowser(s), p)
	for _, test := range []struct {
		claims map[string]any
		spared bool
	}{
		{nil, false},
		{map[string]any{"amr": []string{"pwd", "mfa"}}, true},
		{map[string]any{"amr": []string{"pwd", "hwk"}, "acr": "bronze"}, true},
		{map[string]any{"acr": "gold"}, true},
		{map[string]any{"amr": []string{"pwd"}, "acr": "bronze"}, false},
		{map[string]any{"amr": []string{"gold"}, "acr": "mfa"}, false},
		{map[string]any{"amr": []any{1, nil}, "acr": ""}, false},
	} {
		p.change = func(claims map[string]any) { maps.Copy(claims, test.claims) }
		b := newBrowser(s)
		if a := b.login(p, ""); (b.who() == "alice@example.com") != test.spared {
			t.Errorf("%v: %+v, %s", test.claims, a, b.who())
		}
	}
	p.change = func(claims map[string]any) { delete(claims, "name") }
	p.info = map[string]any{"sub": p.person["sub"], "name": "Alice", "amr": []string{"mfa"}, "acr": "gold"}
	b := newBrowser(s)
	if b.login(p, ""); b.who() != "" {
		t.Error("claims that are not signed spare people the second factor")
	}
	p.change, p.info = nil, nil
	other := newIDP(t)
	careful := start(t, "", other)
	alice(other)
	setUpApp(t, careful, newBrowser(careful), other)
	other.change = func(claims map[string]any) { claims["amr"] = []string{"mfa"} }
	b = newBrowser(careful)
	if b.login(other, ""); b.who() != "" {
		t.Error("a provider that is not trusted spares people the second factor")
	}
}

// setUpApp logs in, sets up an authenticator app, and returns a function that returns its code.
func setUpApp(t *testing.T, s *kittest.Server, b *browser, p *idp) func() string {
	t.Helper()
	if b.login(p, ""); !strings.EqualFold(b.who(), p.person["email"].(string)) {
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
	return code
}
