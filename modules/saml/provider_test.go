package saml_test

import (
	"bytes"
	"compress/flate"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/xml"
	"fmt"
	"html"
	"io"
	"math/big"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/beevik/etree"
	dsig "github.com/russellhaering/goxmldsig"

	"github.com/stoachat/stoa/app/kittest"
)

// signer is a key of a provider with its certificate.
type signer struct {
	key  crypto.Signer
	cert *x509.Certificate
}

// newSigner returns a key with a certificate for many years.
func newSigner(t *testing.T) signer {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return certify(t, key, time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC))
}

func certify(t *testing.T, key crypto.Signer, from, to time.Time) signer {
	t.Helper()
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "Corp"}, NotBefore: from, NotAfter: to,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return signer{key, cert}
}

// sign adds a signature to an element, after its issuer.
func (s signer) sign(t *testing.T, el *etree.Element, method string) *etree.Element {
	t.Helper()
	ctx, err := dsig.NewSigningContext(s.key, [][]byte{s.cert.Raw})
	if err != nil {
		t.Fatal(err)
	}
	ctx.Canonicalizer = dsig.MakeC14N10ExclusiveCanonicalizerWithPrefixList("")
	if err := ctx.SetSignatureMethod(method); err != nil {
		t.Fatal(err)
	}
	signed, err := ctx.SignEnveloped(el)
	if err != nil {
		t.Fatal(err)
	}
	signature := signed.Child[len(signed.Child)-1]
	signed.Child = signed.Child[:len(signed.Child)-1]
	signed.InsertChildAt(1, signature)
	return signed
}

// request is what a browser brings to the provider.
type request struct {
	ID          string `xml:",attr"`
	Destination string `xml:",attr"`
	ACS         string `xml:"AssertionConsumerServiceURL,attr"`
	Issuer      string
	ForceAuthn  bool `xml:",attr"`
	Policy      struct {
		Format string `xml:",attr"`
	} `xml:"NameIDPolicy"`
	Contexts []string `xml:"RequestedAuthnContext>AuthnContextClassRef"`

	state string
	query url.Values
	doc   []byte
}

// login is what the provider's answer says.
type login struct {
	ID, AssertionID, InResponseTo, Destination, Recipient, Audience, Issuer, Status string

	NameID, Format, Session, Context string // NameID is XML

	Now, NotBefore, Until, SessionEnds time.Time
	Attributes                         []string // pairs of names and values
}

// idp is a SAML provider, which does what a test tells it to.
type idp struct {
	*httptest.Server

	t      *testing.T
	signer signer
	extra  []signer // further certificates in the metadata
	clock  *kittest.Clock
	next   int

	person     []string // attributes of whoever logs in
	name       string   // the NameID
	format     string
	method     string // of signatures; "": ECDSA with SHA-256
	unsigned   bool   // the assertion is not signed
	signWhole  bool   // the response is
	change     func(*login)
	before     func(doc *etree.Element) // changes the response before it is signed
	encrypt    func(assertion *etree.Element) *etree.Element
	edit       func(doc *etree.Element) // changes the response after it was signed
	write      func(doc string) string  // changes the text of the response
	document   func(w http.ResponseWriter, r *http.Request)
	mu         sync.Mutex
	requests   map[string]int // by path
	validUntil string         // attribute of the metadata
}

const persistent = "urn:oasis:names:tc:SAML:2.0:nameid-format:persistent"

func newIDP(t *testing.T) *idp {
	t.Helper()
	p := &idp{t: t, requests: map[string]int{}}
	p.reset(newSigner(t))
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.mu.Lock()
		p.requests[r.URL.Path]++
		p.mu.Unlock()
		switch {
		case r.URL.Path != "/metadata":
			http.NotFound(w, r)
		case p.document != nil:
			p.document(w, r)
		default:
			_, _ = io.WriteString(w, p.metadata())
		}
	}))
	t.Cleanup(p.Close)
	return p
}

// reset lets the provider answer as it should.
func (p *idp) reset(s signer) {
	p.signer, p.name, p.format, p.method = s, "ada-at-the-provider", persistent, ""
	p.person = []string{"email", "Alice@Example.com", "name", "Alice"}
	p.unsigned, p.signWhole, p.change, p.before, p.encrypt, p.edit, p.write = false, false, nil, nil, nil, nil, nil
}

func (p *idp) entityID() string { return p.URL + "/entity" }

func (p *idp) metadata() string {
	keys := ""
	for _, s := range append([]signer{p.signer}, p.extra...) {
		keys += `<md:KeyDescriptor use="signing"><ds:KeyInfo xmlns:ds="http://www.w3.org/2000/09/xmldsig#"><ds:X509Data>` +
			`<ds:X509Certificate>` + base64.StdEncoding.EncodeToString(s.cert.Raw) +
			`</ds:X509Certificate></ds:X509Data></ds:KeyInfo></md:KeyDescriptor>`
	}
	return `<?xml version="1.0"?><!-- made by hand --><md:EntityDescriptor ` +
		`xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" entityID="` + p.entityID() + `"` + p.validUntil +
		`><md:IDPSSODescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol">` + keys +
		`<md:SingleLogoutService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect" Location="` + p.URL +
		`/slo"/><md:SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect" Location="` +
		p.URL + `/sso"/><md:SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST" Location="` +
		p.URL + `/sso"/></md:IDPSSODescriptor></md:EntityDescriptor>`
}

// received returns the request that a redirect contains.
func (p *idp) received(to string) request {
	p.t.Helper()
	u, err := url.Parse(to)
	if err != nil || !strings.HasPrefix(to, p.URL+"/sso?") {
		p.t.Fatalf("the browser was sent to %s", to)
	}
	packed, err := base64.StdEncoding.DecodeString(u.Query().Get("SAMLRequest"))
	if err != nil {
		p.t.Fatal(err)
	}
	doc, err := io.ReadAll(flate.NewReader(bytes.NewReader(packed)))
	if err != nil {
		p.t.Fatal(err)
	}
	r := p.parsed(doc)
	r.state, r.query = u.Query().Get("RelayState"), u.Query()
	return r
}

func (p *idp) parsed(doc []byte) request {
	p.t.Helper()
	r := request{doc: doc}
	if err := xml.Unmarshal(doc, &r); err != nil {
		p.t.Fatal(err)
	}
	if r.ID == "" || r.Destination != p.URL+"/sso" || r.Issuer != site || r.ACS != site+"/complete/saml/corp/" {
		p.t.Errorf("the request is %s", doc)
	}
	return r
}

// authorize does what a person does at the provider, and returns the form for the server.
func (p *idp) authorize(r request) url.Values {
	p.t.Helper()
	return url.Values{"SAMLResponse": {base64.StdEncoding.EncodeToString([]byte(p.respond(r)))}, "RelayState": {r.state}}
}

// respond returns the text of an answer.
func (p *idp) respond(r request) string {
	p.t.Helper()
	p.next++
	now := p.clock.Now().UTC()
	l := login{
		ID: fmt.Sprintf("r%d", p.next), AssertionID: fmt.Sprintf("a%d", p.next), InResponseTo: r.ID, Destination: r.ACS,
		Recipient: r.ACS, Audience: r.Issuer, Issuer: p.entityID(), Status: "Success", NameID: p.name, Format: p.format,
		Session: fmt.Sprintf("s%d", p.next), Context: "PasswordProtectedTransport", Now: now, NotBefore: now,
		Until: now.Add(time.Minute), Attributes: p.person,
	}
	if p.change != nil {
		p.change(&l)
	}
	doc := etree.NewDocument()
	if err := doc.ReadFromString(l.xml()); err != nil {
		p.t.Fatal(err)
	}
	root := doc.Root()
	if p.before != nil {
		p.before(root)
	}
	method := p.method
	if method == "" {
		method = dsig.ECDSASHA256SignatureMethod
	}
	if a := assertionOf(root); a != nil {
		at := a.Index()
		root.RemoveChild(a)
		if !p.unsigned {
			a = p.signer.sign(p.t, a, method)
		}
		if p.encrypt != nil {
			a = p.encrypt(a)
		}
		root.InsertChildAt(at, a)
	}
	if p.signWhole {
		root = p.signer.sign(p.t, root, method)
	}
	if p.edit != nil {
		p.edit(root)
	}
	doc = etree.NewDocument()
	doc.SetRoot(root)
	text, err := doc.WriteToString()
	if err != nil {
		p.t.Fatal(err)
	}
	if p.write != nil {
		text = p.write(text)
	}
	return text
}

// assertionOf returns the first assertion of a response.
func assertionOf(root *etree.Element) *etree.Element { return root.SelectElement("saml:Assertion") }

const stamp = "2006-01-02T15:04:05.000Z"

// xml returns the response without signatures.
func (l login) xml() string {
	attribute := func(name, value string) string {
		if value == "" {
			return ""
		}
		return " " + name + `="` + html.EscapeString(value) + `"`
	}
	moment := func(name string, at time.Time) string {
		if at.IsZero() {
			return ""
		}
		return attribute(name, at.UTC().Format(stamp))
	}
	issuer := "<saml:Issuer>" + l.Issuer + "</saml:Issuer>"
	if l.Issuer == "" {
		issuer = ""
	}
	audience := "<saml:AudienceRestriction><saml:Audience>" + l.Audience +
		"</saml:Audience></saml:AudienceRestriction>"
	if l.Audience == "" {
		audience = ""
	}
	attributes := ""
	for i := 0; i < len(l.Attributes); i += 2 {
		attributes += "<saml:Attribute" + attribute("Name", l.Attributes[i]) + "><saml:AttributeValue>" +
			l.Attributes[i+1] + "</saml:AttributeValue></saml:Attribute>"
	}
	const ns = ` xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion"`
	return `<samlp:Response xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol"` + ns + attribute("ID", l.ID) +
		` Version="2.0"` + moment("IssueInstant", l.Now) + attribute("Destination", l.Destination) +
		attribute("InResponseTo", l.InResponseTo) + `>` + issuer + `<samlp:Status><samlp:StatusCode ` +
		`Value="urn:oasis:names:tc:SAML:2.0:status:` + l.Status + `"/></samlp:Status>` +
		`<saml:Assertion` + ns + attribute("ID", l.AssertionID) + ` Version="2.0"` + moment("IssueInstant", l.Now) + `>` +
		issuer + `<saml:Subject><saml:NameID` + attribute("Format", l.Format) + `>` + l.NameID + `</saml:NameID>` +
		`<saml:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:bearer"><saml:SubjectConfirmationData` +
		attribute("InResponseTo", l.InResponseTo) + attribute("Recipient", l.Recipient) +
		moment("NotOnOrAfter", l.Until) + `/></saml:SubjectConfirmation></saml:Subject><saml:Conditions` +
		moment("NotBefore", l.NotBefore) + moment("NotOnOrAfter", l.Until) + `>` + audience + `</saml:Conditions>` +
		`<saml:AuthnStatement` + moment("AuthnInstant", l.Now) + attribute("SessionIndex", l.Session) +
		moment("SessionNotOnOrAfter", l.SessionEnds) + `><saml:AuthnContext><saml:AuthnContextClassRef>` +
		`urn:oasis:names:tc:SAML:2.0:ac:classes:` + l.Context +
		`</saml:AuthnContextClassRef></saml:AuthnContext></saml:AuthnStatement>` +
		`<saml:AttributeStatement>` + attributes + `</saml:AttributeStatement></saml:Assertion></samlp:Response>`
}
