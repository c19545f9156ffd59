package twofactor_test

import (
	"html"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
)

const passkeyPage = "/accounts/login/passkey/"

// TestPasskey logs in with a passkey, with the password and without.
func TestPasskey(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, database string) {
		s := start(t, database)
		if list := s.Anonymous().Do("GET /server_settings").OK().Body; strings.Contains(list, "Passkey") {
			t.Errorf("the method is listed although nobody has a passkey: %s", list)
		}
		d, own := passkey(s, "alice")
		list := s.Anonymous().Do("GET /server_settings").OK().Body
		if !strings.Contains(list, `"login_url":"/accounts/login/passkey"`) {
			t.Errorf("the method is missing: %s", list)
		}
		b := newBrowser(s).localhost()
		a := b.do("GET "+passkeyPage+"?next=/%23recent", nil)
		if a := b.send(passkeyPage, a, d.get(a)); a.to != "/#recent" || b.who() != "alice@example.com" {
			t.Fatalf("%+v", a)
		}
		b = newBrowser(s).localhost()
		page := b.password("alice").to
		a = b.do("GET "+page, nil)
		d.flags = userPresent // the password is the other factor
		if a := b.send("/accounts/second-factor/", a, d.get(a)); a.to != "/" || b.who() != "alice@example.com" {
			t.Fatalf("%+v", a)
		}
		d.flags = userPresent | userVerified | canBeCopied // which some devices say later
		pad := strings.Repeat("00", 32)
		b = newBrowser(s).localhost()
		a = b.do("GET /login/?mobile_flow_otp="+pad, nil)
		if !strings.Contains(a.body, passkeyPage[:len(passkeyPage)-1]+"?next=%2f&mobile_flow_otp="+pad+`"`) ||
			!strings.Contains(a.body, `autocomplete="username webauthn"`) {
			t.Errorf("the login page does not offer passkeys to the app: %s", a.body)
		}
		a = b.do("GET "+passkeyPage+"?mobile_flow_otp="+pad, nil)
		if a := b.send(passkeyPage, a, d.get(a)); !strings.Contains(a.body, `href="zulip://login?`) || b.who() != "" {
			t.Errorf("%+v", a)
		}
		var shown struct {
			Codes    int `json:"recovery_codes"`
			Passkeys []struct {
				ID     int
				Synced bool
			}
		}
		own.call("GET /stoa/second_factor", nil, &shown)
		if shown.Codes != 10 || len(shown.Passkeys) != 1 || !shown.Passkeys[0].Synced {
			t.Fatalf("%+v", shown)
		}
		removing := "DELETE /stoa/second_factor/passkeys/" + kittest.JSON(shown.Passkeys[0].ID)
		if a := own.call(removing, url.Values{}, nil); a.status != 200 {
			t.Fatalf("%+v", a)
		}
		b = newBrowser(s).localhost()
		a = b.do("GET "+passkeyPage, nil)
		refused(t, "a passkey that was removed", b, b.send(passkeyPage, a, d.get(a)))
	})
}

// TestPasskeyAttacks uses passkeys wrongly.
func TestPasskeyAttacks(t *testing.T) {
	s := start(t, "")
	ada, _ := passkey(s, "alice")
	bob, bobs := passkey(s, "bob")
	challengeOf := func(a answer) string {
		return regexp.MustCompile(`"challenge":"([^"]+)"`).FindStringSubmatch(html.UnescapeString(a.body))[1]
	}
	for _, attack := range []struct {
		name string
		do   func(d *device, a answer)
	}{
		{"another origin", func(d *device, _ answer) { d.origin = "https://evil.example" }},
		{"another port", func(d *device, _ answer) { d.origin = "http://localhost:1" }},
		{"another organization's host", func(d *device, _ answer) { d.rp = "evil.example" }},
		{"no verification of the user", func(d *device, _ answer) { d.flags = userPresent }},
		{"no presence of the user", func(d *device, _ answer) { d.flags = userVerified }},
		{"another challenge", func(d *device, _ answer) { d.answers = strings.Repeat("A", 43) }},
		{"the challenge of another page", func(d *device, _ answer) {
			d.answers = challengeOf(newBrowser(s).localhost().do("GET "+passkeyPage, nil))
		}},
		{"the handle of somebody else", func(d *device, _ answer) { d.handle = bob.handle }},
		{"no handle", func(d *device, _ answer) { d.handle = "" }},
		{"the key of somebody else", func(d *device, _ answer) { d.key = bob.key }},
		{"a counter that goes back", func(d *device, _ answer) { d.counter = 0 }},
		{"an unknown passkey", func(d *device, _ answer) { d.id = []byte("0123456789abcdef") }},
	} {
		t.Run(attack.name, func(t *testing.T) {
			b, d := newBrowser(s).localhost(), *ada
			a := b.do("GET "+passkeyPage, nil)
			attack.do(&d, a)
			refused(t, attack.name, b, b.send(passkeyPage, a, d.get(a)))
		})
	}
	b := newBrowser(s).localhost()
	a := b.do("GET "+passkeyPage, nil)
	for _, junk := range []string{
		"", "{}", "null", strings.Repeat("x", 20<<10), `{"id":"AA","rawId":"AA","type":"public-key"}`,
	} {
		refused(t, "junk", b, b.send(passkeyPage, a, junk))
		a = b.do("GET "+passkeyPage, nil)
	}
	refused(t, "another browser", b, newBrowser(s).localhost().send(passkeyPage, a, ada.get(a)))
	answer := ada.get(a)
	if a := b.send(passkeyPage, a, answer); a.to != "/" {
		t.Fatalf("%+v", a)
	}
	b.do("POST /accounts/logout/", url.Values{})
	refused(t, "an answer that was used", b, b.send(passkeyPage, a, answer))
	a = b.do("GET "+b.password("alice").to, nil)
	refused(t, "a passkey of somebody else, with the password", b, b.send("/accounts/second-factor/", a, bob.get(a)))
	if a := bobs.add(ada); a.status != 400 {
		t.Errorf("the passkey of somebody else is added: %+v", a)
	}
	s.As("olga").Do("DELETE /users/" + kittest.JSON(s.UserID("bob"))).OK()
	b = newBrowser(s).localhost()
	a = b.do("GET "+passkeyPage, nil)
	refused(t, "a deactivated user", b, b.send(passkeyPage, a, bob.get(a)))
	if a := newBrowser(s).do("GET "+passkeyPage, nil); a.status != 400 || !strings.Contains(a.body, "host name") {
		t.Errorf("at an address without a name: %+v", a)
	}
}
