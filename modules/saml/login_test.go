package saml_test

import (
	"strings"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
)

func TestLogin(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, database string) {
		p := newIDP(t)
		s := start(t, database, p)
		var settings struct {
			Methods []struct {
				Name    string `json:"name"`
				Display string `json:"display_name"`
				Login   string `json:"login_url"`
			} `json:"external_authentication_methods"`
			Known map[string]bool `json:"authentication_methods"`
		}
		s.Anonymous().Do("GET /server_settings").OK().JSON(&settings)
		if len(settings.Methods) != 1 || settings.Methods[0].Name != "saml:corp" || !settings.Known["saml"] ||
			settings.Methods[0].Login != "/accounts/login/social/saml/corp" {
			t.Errorf("%v", settings)
		}
		b := newBrowser(s)
		if a := b.do("GET /login/", nil); !strings.Contains(a.body, "Log in with Corp") {
			t.Errorf("the login page has no button: %s", a.body)
		}
		if a := b.login(p, "?next=/%23recent"); a.status != 302 || a.to != "/#recent" || b.who() != "alice@example.com" {
			t.Fatalf("%v %s", a, b.who())
		}
		// The identity stays with the account when the address changes at the provider, even to that of somebody else.
		p.person = []string{"email", "bob@example.com", "name", "Alice Liddell"}
		other := newBrowser(s)
		if a := other.login(p, ""); a.status != 302 || other.who() != "alice@example.com" {
			t.Errorf("%v %s", a, other.who())
		}
		if got := s.As("alice").Do("GET /users/me").OK().Get("full_name"); got != "Alice Liddell" {
			t.Errorf("the name is %v", got)
		}
		for _, want := range []string{"identity.connected", "identity.used", "login.succeeded"} {
			if log := s.As("olga").Do("GET /audit_log").OK().Body; !strings.Contains(log, want) ||
				strings.Contains(log, "ada-at-the-provider") {
				t.Errorf("the audit log lacks %s, or contains the subject: %s", want, log)
			}
		}
		s.As("olga").Do("DELETE /users/" + kittest.JSON(s.UserID("alice"))).OK()
		if a := newBrowser(s).login(p, ""); a.status != 400 || !strings.Contains(a.body, "You can't log in with Corp") {
			t.Errorf("a deactivated user: %v", a)
		}
		s.RunJob("saml.forget_assertions")
	})
}

// TestCookie logs in with browsers that send the cookie of the login with forms of other sites, and with those that do
// not, whose own page then sends the form again.
func TestCookie(t *testing.T) {
	p := newIDP(t)
	s := start(t, "", p)
	b := newBrowser(s)
	b.withhold = true
	answer := p.authorize(b.begin(p, ""))
	if c := b.jar["__Host-signin"]; c == nil || !c.HttpOnly || !c.Secure {
		t.Errorf("%v", b.jar)
	}
	a := b.finish(answer)
	if a.status != 200 || !strings.Contains(a.body, answer.Get("SAMLResponse")) ||
		!strings.Contains(a.body, `action="`+site+`/complete/saml/corp/"`) {
		t.Fatalf("%v", a)
	}
	if policy := a.header.Get("Content-Security-Policy"); !strings.Contains(policy, "script-src 'sha256-") ||
		strings.Contains(policy, "form-action") {
		t.Errorf("the form cannot be sent: %s", policy)
	}
	answer.Set("posted", "1")
	if a := b.do("POST /complete/saml/corp/", answer); a.status != 302 || b.who() != "alice@example.com" {
		t.Errorf("%v", a)
	}
	if a := newBrowser(s).do("POST /complete/saml/corp/", answer); a.status != 400 {
		t.Errorf("another browser: %v", a)
	}
}

// TestMetadata reads the server's metadata.
func TestMetadata(t *testing.T) {
	p := newIDP(t)
	s := start(t, "", p)
	a := newBrowser(s).do("GET /saml/corp/metadata.xml", nil)
	for _, want := range []string{
		`entityID="` + site + `"`, `WantAssertionsSigned="true"`, `Location="` + site + `/complete/saml/corp/"`, persistent,
	} {
		if !strings.Contains(a.body, want) {
			t.Errorf("%q is missing: %s", want, a.body)
		}
	}
	if a.status != 200 || strings.Contains(a.body, "Artifact") {
		t.Errorf("%v", a)
	}
	for call, status := range map[string]int{
		"GET /saml/corp/metadata.xml/x": 404, "POST /saml/corp/metadata.xml": 405, "GET /saml/other/metadata.xml": 404,
		"GET /complete/saml/corp/": 405, "GET /complete/saml/": 404, "GET /accounts/login/social/saml/other": 404,
		"POST /accounts/login/social/saml/corp": 405, "GET /accounts/login/social/saml/corp/x": 404,
	} {
		if a := newBrowser(s).do(call, nil); a.status != status {
			t.Errorf("%s: %v", call, a)
		}
	}
}
