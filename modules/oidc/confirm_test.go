package oidc_test

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stoachat/stoa/adapters/mail/log"
	"github.com/stoachat/stoa/adapters/mail/mailtest"
	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/oidc"
)

// TestMailedCode logs in with an address that the provider does not confirm, by a code that is mailed to it.
func TestMailedCode(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, database string) {
		p, mails := newIDP(t), &mailtest.Fake{}
		config := "http: {rate_limits: {enabled: false}}\nmodules:\n  oidc:\n    providers:\n      - {id: corp, issuer: \"" +
			p.URL + "\", client_id: stoa, client_secret: hidden, display_name: Corp, auto_link_verified: true}\n"
		used := slices.DeleteFunc(slices.Clone(others), func(m kit.Module) bool { return m.Same(log.Module) })
		s := kittest.StartWith(t, kittest.Options{DatabaseURL: database, Config: config},
			append(used, mails.Module(), oidc.Module)...)
		p.clock = s.Clock
		alice(p)
		p.person["email_verified"] = false

		state := regexp.MustCompile(`name="state" value="([^"]*)"`)
		begin := func() (*browser, string, string) {
			t.Helper()
			b := newBrowser(s)
			a := b.login(p, "?next=/x")
			found := state.FindStringSubmatch(a.body)
			s.RunJob("mail.send_mails")
			received := mails.Received()
			if a.status != 200 || found == nil || b.who() != "" || len(received) != 1 ||
				!strings.EqualFold(received[0].To, "alice@example.com") {
				t.Fatalf("%+v, %+v", a, received)
			}
			code := regexp.MustCompile(`(?m)^\d{4} \d{4}$`).FindString(received[0].Text)
			return b, found[1], code
		}
		enter := func(b *browser, state, code string) page {
			t.Helper()
			return b.do("POST /accounts/connect/", url.Values{"state": {state}, "code": {code}, "password": {kittest.Password}})
		}
		b, first, code := begin()
		if a := enter(newBrowser(s), first, code); a.status != 400 {
			t.Errorf("another browser: %+v", a)
		}
		if a := enter(b, first, "0000 000"); a.status != 200 || !strings.Contains(a.body, "The code is wrong.") {
			t.Errorf("%+v", a)
		}
		if a := enter(b, first, code); a.status != 302 || a.to != "/x" || b.who() != "alice@example.com" {
			t.Fatalf("%+v", a)
		}
		if a := enter(b, first, code); a.status != 400 {
			t.Errorf("a second time: %+v", a)
		}

		p.person["sub"], p.person["email"] = "mallory-at-the-provider", "Alice@example.com"
		b, other, late := begin()
		if a := enter(b, other, code); a.status != 200 || b.who() != "" {
			t.Errorf("a code of another login: %+v", a)
		}
		s.Clock.Advance(11 * time.Minute)
		if a := enter(b, other, late); a.status != 400 || b.who() != "" {
			t.Errorf("an expired code: %+v", a)
		}
		b, third, right := begin()
		for range 5 {
			enter(b, third, "12345678")
		}
		if a := enter(b, third, right); a.status != 400 || b.who() != "" {
			t.Errorf("after five wrong codes: %+v", a)
		}
		begin()
		begin()
		if a := newBrowser(s).login(p, ""); a.status != 429 {
			t.Errorf("a sixth email: %+v", a)
		}
	})
}
