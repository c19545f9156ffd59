package saml_test

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"html"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/beevik/etree"
	"github.com/crewjam/saml/xmlenc"
	dsig "github.com/russellhaering/goxmldsig"
)

// file writes a file, and returns its name.
func file(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func pemOf(kind string, der []byte) string {
	return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}))
}

// own returns the server's key, and the lines that configure it.
func own(t *testing.T) (signer, []string) {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	s := certify(t, key, time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC))
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return s, []string{
		"key_file: " + file(t, "key", pemOf("PRIVATE KEY", der)),
		"certificate_file: " + file(t, "crt", pemOf("CERTIFICATE", s.cert.Raw)),
	}
}

// TestRequests signs requests, for redirects and for forms.
func TestRequests(t *testing.T) {
	p := newIDP(t)
	mine, lines := own(t)
	s := start(t, "", p, append(lines, "sign_requests: true")...)
	b := newBrowser(s)
	r := b.begin(p, "")
	signed := "SAMLRequest=" + url.QueryEscape(r.query.Get("SAMLRequest")) + "&RelayState=" +
		url.QueryEscape(r.state) + "&SigAlg=" + url.QueryEscape(r.query.Get("SigAlg"))
	signature, _ := base64.StdEncoding.DecodeString(r.query.Get("Signature"))
	if err := mine.cert.CheckSignature(x509.SHA256WithRSA, []byte(signed), signature); err != nil {
		t.Errorf("%v: %v", err, r.query)
	}
	if a := b.finish(p.authorize(r)); a.status != 302 {
		t.Errorf("%v", a)
	}
	a := newBrowser(s).do("GET /saml/corp/metadata.xml", nil)
	if !strings.Contains(a.body, `use="signing"`) || !strings.Contains(a.body, "aes256-gcm") ||
		strings.Contains(a.body, "-cbc") || !strings.Contains(a.body, `AuthnRequestsSigned="true"`) {
		t.Errorf("%v", a)
	}
	s = start(t, "", p, append(lines, "sign_requests: true", "binding: post")...)
	b = newBrowser(s)
	a = b.do("GET /accounts/login/social/saml/corp?next=/x", nil)
	field := func(name string) string {
		m := regexp.MustCompile(`name="` + name + `" value="([^"]*)"`).FindStringSubmatch(a.body)
		if m == nil {
			t.Fatalf("%s is missing: %v", name, a)
		}
		return html.UnescapeString(m[1])
	}
	doc, err := base64.StdEncoding.DecodeString(field("SAMLRequest"))
	if err != nil || a.status != 200 || !strings.Contains(a.body, `action="`+p.URL+`/sso"`) {
		t.Fatalf("%v %v", err, a)
	}
	tree := etree.NewDocument()
	if err := tree.ReadFromBytes(doc); err != nil {
		t.Fatal(err)
	}
	check := dsig.NewDefaultValidationContext(&dsig.MemoryX509CertificateStore{Roots: []*x509.Certificate{mine.cert}})
	if _, err := check.Validate(tree.Root()); err != nil {
		t.Errorf("%v: %s", err, doc)
	}
	r = p.parsed(doc)
	r.state = field("RelayState")
	if a := b.finish(p.authorize(r)); a.status != 302 || a.to != "/x" {
		t.Errorf("%v", a)
	}
}

// TestEncryption decrypts assertions with good algorithms.
func TestEncryption(t *testing.T) {
	p := newIDP(t)
	mine, lines := own(t)
	s := start(t, "", p, lines...)
	oaep := func(c xmlenc.BlockCipher) xmlenc.Encrypter {
		e := xmlenc.OAEP_SHA256()
		e.BlockCipher = c
		return e
	}
	with := func(e xmlenc.Encrypter, change func(text string) string) func(*etree.Element) *etree.Element {
		return func(a *etree.Element) *etree.Element {
			doc := etree.NewDocument()
			doc.SetRoot(a.Copy())
			text, _ := doc.WriteToString()
			data, err := e.Encrypt(mine.cert, []byte(change(text)), nil)
			if err != nil {
				t.Fatal(err)
			}
			data.CreateAttr("Type", "http://www.w3.org/2001/04/xmlenc#Element")
			out := etree.NewElement("saml:EncryptedAssertion")
			out.AddChild(data)
			return out
		}
	}
	same := func(text string) string { return text }
	try := func(name string, whole bool, e func(*etree.Element) *etree.Element, want int) {
		t.Helper()
		p.encrypt, p.signWhole = e, whole
		b := newBrowser(s)
		if a := b.login(p, ""); a.status != want || (b.who() != "") != (want == 302) {
			t.Errorf("%s: %v", name, a)
		}
	}
	try("AES-GCM", false, with(oaep(xmlenc.AES256GCM), same), 302)
	try("AES-CBC in a signed response", true, with(oaep(xmlenc.AES256CBC), same), 302)
	try("AES-CBC in a response without signature", false, with(oaep(xmlenc.AES256CBC), same), 400)
	pkcs := xmlenc.PKCS1v15()
	pkcs.BlockCipher = xmlenc.AES256GCM
	try("PKCS #1 v1.5", true, with(pkcs, same), 400)
	try("3DES", true, with(oaep(xmlenc.TripleDES), same), 400)
	try("a comment", false, with(oaep(xmlenc.AES256GCM), func(text string) string {
		return strings.Replace(text, "ada-at", "ada<!---->-at", 1)
	}), 400)
	try("an assertion in the assertion", false, with(oaep(xmlenc.AES256GCM), func(text string) string {
		return strings.Replace(text, "<saml:Subject>", "<saml:Subject><saml:Assertion/>", 1)
	}), 400)
	p.unsigned = true
	try("an assertion without signature", false, with(oaep(xmlenc.AES256GCM), same), 400)
	try("an assertion without signature in a signed response", true, with(oaep(xmlenc.AES256GCM), same), 400)
	p.unsigned = false
	s = start(t, "", p)
	try("no key", false, with(oaep(xmlenc.AES256GCM), same), 400)
}

// TestWantedSignatures accepts signatures as configured.
func TestWantedSignatures(t *testing.T) {
	p := newIDP(t)
	p.unsigned, p.signWhole = true, true
	s := start(t, "", p, "want_assertions_signed: false")
	if b := newBrowser(s); b.login(p, "").status != 302 || b.who() == "" {
		t.Error("a signed response")
	}
	p.signWhole = false
	if a := newBrowser(s).login(p, ""); a.status != 400 {
		t.Errorf("nothing is signed: %v", a)
	}
	s = start(t, "", p, "want_responses_signed: true")
	p.unsigned = false
	if a := newBrowser(s).login(p, ""); a.status != 400 {
		t.Errorf("only the assertion is signed: %v", a)
	}
	p.signWhole = true
	if a := newBrowser(s).login(p, ""); a.status != 302 {
		t.Errorf("both are signed: %v", a)
	}
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	p.reset(certify(t, key, time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC)))
	p.method = dsig.RSASHA1SignatureMethod
	s = start(t, "", p)
	if a := newBrowser(s).login(p, ""); a.status != 400 {
		t.Errorf("SHA-1: %v", a)
	}
	s = start(t, "", p, "allow_sha1: true")
	if a := newBrowser(s).login(p, ""); a.status != 302 {
		t.Errorf("SHA-1, which is allowed: %v", a)
	}
}
