package saml_test

import (
	"bytes"
	"compress/flate"
	"crypto"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	dsig "github.com/russellhaering/goxmldsig"
)

// logout is a request of the provider to log a person out.
type logout struct {
	ID, Destination, Issuer, NameID, Session string

	Now time.Time
	Alg string
	Key signer
	XML string // instead of the request
	Raw []byte // instead of the compressed request
}

// deflated compresses a message.
func deflated(t *testing.T, text []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := flate.NewWriter(&b, flate.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = w.Write(text)
	_ = w.Close()
	return b.Bytes()
}

// query returns the signed query of a request.
func (l logout) query(t *testing.T) string {
	t.Helper()
	doc := l.XML
	if doc == "" {
		session := ""
		if l.Session != "" {
			session = "<samlp:SessionIndex>" + l.Session + "</samlp:SessionIndex>"
		}
		doc = `<samlp:LogoutRequest xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" ` +
			`xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="` + l.ID + `" Version="2.0" IssueInstant="` +
			l.Now.UTC().Format(stamp) + `" Destination="` + l.Destination + `"><saml:Issuer>` + l.Issuer +
			`</saml:Issuer><saml:NameID Format="` + persistent + `">` + l.NameID + `</saml:NameID>` + session +
			`</samlp:LogoutRequest>`
	}
	packed := l.Raw
	if packed == nil {
		packed = deflated(t, []byte(doc))
	}
	q := "SAMLRequest=" + url.QueryEscape(base64.StdEncoding.EncodeToString(packed)) + "&RelayState=there"
	if l.Key.key == nil {
		return q
	}
	q += "&SigAlg=" + url.QueryEscape(l.Alg)
	sum := sha256.Sum256([]byte(q))
	signature, err := l.Key.key.Sign(rand.Reader, sum[:], crypto.SHA256)
	if err != nil {
		t.Fatal(err)
	}
	return q + "&Signature=" + url.QueryEscape(base64.StdEncoding.EncodeToString(signature))
}

// TestLogout ends the sessions of a person who has logged out at the provider.
func TestLogout(t *testing.T) {
	p := newIDP(t)
	s := start(t, "", p)
	first, second := newBrowser(s), newBrowser(s)
	first.login(p, "")
	second.login(p, "")
	ask := func(change func(*logout)) page {
		t.Helper()
		l := logout{
			ID: "l0", Destination: site + "/saml/corp/logout", Issuer: p.entityID(), NameID: p.name, Now: s.Clock.Now(),
			Alg: dsig.ECDSASHA256SignatureMethod, Key: p.signer,
		}
		change(&l)
		return newBrowser(s).do("GET /saml/corp/logout?"+l.query(t), nil)
	}
	for name, change := range map[string]func(*logout){
		"no signature":          func(l *logout) { l.Key = signer{} },
		"another key":           func(l *logout) { l.Key = newSigner(t) },
		"SHA-1":                 func(l *logout) { l.Alg = dsig.ECDSASHA1SignatureMethod },
		"another issuer":        func(l *logout) { l.Issuer = "https://other.example" },
		"another destination":   func(l *logout) { l.Destination = "https://other.example" },
		"two minutes ago":       func(l *logout) { l.Now = l.Now.Add(-2 * time.Minute) },
		"a DOCTYPE":             func(l *logout) { l.XML = "<!DOCTYPE r><r/>" },
		"another message":       func(l *logout) { l.XML = "<r/>" },
		"a deflate bomb":        func(l *logout) { l.Raw = deflated(t, make([]byte, 10<<20)) },
		"a bomb of spaces":      func(l *logout) { l.XML = "<r>" + strings.Repeat(" ", 10<<20) + "</r>" },
		"no deflated message":   func(l *logout) { l.Raw = []byte("<r/>") },
		"a comment in the name": func(l *logout) { l.NameID = "ada<!---->-at-the-provider" },
	} {
		if a := ask(change); a.status != http.StatusBadRequest || first.who() == "" {
			t.Errorf("%s: %v", name, a)
		}
	}
	if a := ask(func(l *logout) { l.NameID = "somebody else" }); a.status != 302 || first.who() == "" {
		t.Errorf("somebody else: %v", a)
	}
	a := ask(func(l *logout) { l.ID, l.Session = "l1", "s1" })
	if a.status != 302 || !strings.HasPrefix(a.to, p.URL+"/slo?SAMLResponse=") ||
		!strings.Contains(a.to, "RelayState=there") || first.who() != "" || second.who() == "" {
		t.Errorf("one session: %v", a)
	}
	if a := ask(func(l *logout) { l.ID = "l2" }); a.status != 302 || second.who() != "" {
		t.Errorf("all sessions that began there: %v", a)
	}
	if a := ask(func(l *logout) { l.ID = "l2" }); a.status != http.StatusBadRequest {
		t.Errorf("a request was accepted twice: %v", a)
	}
	p.document = func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500) }
	s.Clock.Advance(24 * time.Hour)
	if a := newBrowser(s).do("GET /saml/corp/logout", nil); a.status != http.StatusBadRequest {
		t.Errorf("nothing: %v", a)
	}
}
