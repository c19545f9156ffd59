package saml_test

import (
	"bytes"
	"compress/flate"
	"crypto/x509"
	"encoding/base64"
	"html"
	"io"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/stoachat/stoa/domain/session"
)

// TestLogoutPage offers people who log out here to log out at the provider as well, by a signed request.
func TestLogoutPage(t *testing.T) {
	p := newIDP(t)
	mine, lines := own(t)
	s := start(t, "", p, lines...)
	b := newBrowser(s)
	b.login(p, "")
	logOut := func() page {
		t.Helper()
		cookie := b.jar["__Host-sessionid"]
		if cookie == nil {
			t.Fatal("not logged in")
		}
		return b.do("POST /accounts/logout/", url.Values{"csrfmiddlewaretoken": {session.CSRF(cookie.Value)}})
	}
	a := logOut()
	m := regexp.MustCompile(`href="(` + regexp.QuoteMeta(p.URL) + `/slo\?[^"]*)"`).FindStringSubmatch(a.body)
	if a.status != 200 || m == nil || b.who() != "" {
		t.Fatalf("%v", a)
	}
	to, err := url.Parse(html.UnescapeString(m[1]))
	if err != nil {
		t.Fatal(err)
	}
	q := to.Query()
	signed, _, _ := strings.Cut(to.RawQuery, "&Signature=")
	signature, _ := base64.StdEncoding.DecodeString(q.Get("Signature"))
	if err := mine.cert.CheckSignature(x509.SHA256WithRSA, []byte(signed), signature); err != nil {
		t.Errorf("%v: %v", err, q)
	}
	packed, err := base64.StdEncoding.DecodeString(q.Get("SAMLRequest"))
	if err != nil {
		t.Fatal(err)
	}
	doc, err := io.ReadAll(flate.NewReader(bytes.NewReader(packed)))
	for _, want := range []string{">" + p.name + "</saml:NameID>", persistent, p.URL + "/slo", "LogoutRequest"} {
		if err != nil || !bytes.Contains(doc, []byte(want)) {
			t.Errorf("%s is missing from %s: %v", want, doc, err)
		}
	}
	// The provider's answer changes nothing, and leads to the login page.
	b.login(p, "")
	if a := b.do("GET /saml/corp/logout?SAMLResponse=x&RelayState=https://evil.example", nil); a.status != 302 ||
		a.to != site+"/login/" || b.who() == "" {
		t.Errorf("%v", a)
	}
	// Without a key, the provider would refuse the request.
	s = start(t, "", p)
	b = newBrowser(s)
	b.login(p, "")
	if a := logOut(); a.status != 302 {
		t.Errorf("without a key: %v", a)
	}
}
