package saml_test

import (
	"encoding/base64"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stoachat/stoa/app/kittest"
)

// TestSettings describes a provider without metadata, which is changing its key.
func TestSettings(t *testing.T) {
	p := newIDP(t)
	next := newSigner(t)
	s := startWith(t, "", p, "entity_id: \""+p.entityID()+"\"", "sso_url: \""+p.URL+"/sso\"", "trust_email: true",
		"certificates: ["+file(t, "old", pemOf("CERTIFICATE", p.signer.cert.Raw))+", "+
			base64.StdEncoding.EncodeToString(next.cert.Raw)+"]")
	for _, key := range []signer{p.signer, next} {
		p.signer = key
		if a := newBrowser(s).login(p, ""); a.status != 302 {
			t.Errorf("%v", a)
		}
	}
	p.signer = newSigner(t)
	if a := newBrowser(s).login(p, ""); a.status != 400 {
		t.Errorf("an unknown key: %v", a)
	}
}

// TestRollover reads the metadata again when the provider signs with a new key, and once a day.
func TestRollover(t *testing.T) {
	p := newIDP(t)
	s := start(t, "", p)
	login := func(want int) {
		t.Helper()
		if a := newBrowser(s).login(p, ""); a.status != want {
			t.Errorf("%v", a)
		}
	}
	login(302)
	p.signer = newSigner(t)
	login(400) // the metadata was read a moment ago
	s.Clock.Advance(time.Minute)
	login(302)
	old := p.signer
	s.Clock.Advance(24 * time.Hour)
	p.extra, p.signer = []signer{old}, newSigner(t)
	login(302)
	if n := p.requests["/metadata"]; n != 3 {
		t.Errorf("%d requests", n)
	}
	p.document = func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500) }
	s.Clock.Advance(24 * time.Hour)
	login(302) // rather with old metadata than not
	p.document, p.validUntil = nil, ` validUntil="`+s.Clock.Now().Add(time.Hour).UTC().Format(stamp)+`"`
	s.Clock.Advance(24*time.Hour - time.Minute)
	p.validUntil = ` validUntil="` + s.Clock.Now().Add(-time.Hour).UTC().Format(stamp) + `"`
	s.Clock.Advance(time.Minute)
	login(503) // expired
}

// TestProviders checks that a provider that fails or lies about itself is reported to the person who logs in, and that
// passwords still work.
func TestProviders(t *testing.T) {
	for name, do := range map[string]func(p *idp, w http.ResponseWriter, r *http.Request){
		"a redirect to an address of the cloud": func(p *idp, w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, p.URL+"/169.254.169.254", http.StatusFound)
		},
		"an address without TLS": func(p *idp, w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, strings.ReplaceAll(p.metadata(), p.URL+"/sso", "http://id.example.com/sso"))
		},
		"no certificate": func(p *idp, w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, strings.ReplaceAll(p.metadata(), `use="signing"`, `use="encryption"`))
		},
		"a service": func(p *idp, w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, strings.ReplaceAll(p.metadata(), "IDPSSODescriptor", "SPSSODescriptor"))
		},
		"a billion laughs": func(p *idp, w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, `<!DOCTYPE r [<!ENTITY a "a">]>`+p.metadata()[len(`<?xml version="1.0"?>`):])
		},
		"ten megabytes": func(_ *idp, w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, "<a>"+strings.Repeat("a", 10<<20))
		},
		"an error":    func(_ *idp, w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500) },
		"a web page":  func(_ *idp, w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "<html></html>") },
		"the silence": func(_ *idp, _ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
	} {
		t.Run(name, func(t *testing.T) {
			p := newIDP(t)
			s := start(t, "", p, "timeout: 300ms")
			p.document = func(w http.ResponseWriter, r *http.Request) { do(p, w, r) }
			for range 2 {
				if a := newBrowser(s).login(p, ""); a.status != 503 || !strings.Contains(a.body, "Corp does not respond") {
					t.Errorf("%v", a)
				}
			}
			if n := p.requests["/metadata"]; n != 1 || p.requests["/169.254.169.254"] != 0 {
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
