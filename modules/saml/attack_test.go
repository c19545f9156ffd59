package saml_test

import (
	"bytes"
	"compress/flate"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/beevik/etree"
	dsig "github.com/russellhaering/goxmldsig"
)

// attack is an answer that must be refused.
type attack struct {
	name string
	do   func(p *idp)
}

// run sends each attack with a login of its own, and checks that nobody gets in and nothing changes.
func run(t *testing.T, attacks []attack, lines ...string) {
	t.Helper()
	p := newIDP(t)
	s := start(t, "", p, lines...)
	own := p.signer
	for _, a := range attacks {
		t.Run(a.name, func(t *testing.T) {
			p.reset(own)
			a.do(p)
			b := newBrowser(s.In(t))
			if got := b.login(p, ""); got.status != 400 || b.who() != "" {
				t.Errorf("%v, logged in as %q", got, b.who())
			}
			if got := len(s.As("alice").Do("GET /stoa/identities").OK().Get("identities").([]any)); got != 0 {
				t.Errorf("%d identities are connected", got)
			}
		})
	}
	p.reset(own)
	if b := newBrowser(s); b.login(p, "").status != 302 || b.who() != "alice@example.com" {
		t.Error("an answer that is valid was refused")
	}
}

// TestSignatures lets an answer be signed badly.
func TestSignatures(t *testing.T) {
	stranger := newSigner(t)
	run(t, []attack{
		{"no signature", func(p *idp) { p.unsigned = true }},
		{"only the response is signed", func(p *idp) { p.unsigned, p.signWhole = true, true }},
		{"another key, with its certificate in KeyInfo", func(p *idp) { p.signer = stranger }},
		{"another key, with the provider's certificate in KeyInfo", func(p *idp) {
			p.signer = signer{stranger.key, p.signer.cert}
		}},
		{"another key, without KeyInfo", func(p *idp) {
			p.signer = stranger
			p.edit = func(root *etree.Element) {
				s := root.FindElement("//Signature")
				s.RemoveChild(s.SelectElement("ds:KeyInfo"))
			}
		}},
		{"another key, of which only the name is known", func(p *idp) {
			p.signer = stranger
			p.edit = func(root *etree.Element) {
				k := root.FindElement("//KeyInfo")
				k.Child = nil
				k.CreateElement("ds:KeyName").SetText("corp")
			}
		}},
		{"SHA-1", func(p *idp) { p.method = dsig.ECDSASHA1SignatureMethod }},
		{"SHA-1 only for the digest", func(p *idp) {
			p.edit = func(root *etree.Element) {
				root.FindElement("//DigestMethod").CreateAttr("Algorithm", "http://www.w3.org/2000/09/xmldsig#sha1")
			}
		}},
		{"HMAC", func(p *idp) {
			p.edit = func(root *etree.Element) {
				root.FindElement("//SignatureMethod").CreateAttr("Algorithm",
					"http://www.w3.org/2001/04/xmldsig-more#hmac-sha256")
			}
		}},
		{"a transform that removes everything", func(p *idp) {
			p.edit = func(root *etree.Element) {
				root.FindElement("//Transforms").CreateElement("ds:Transform").CreateAttr("Algorithm",
					"http://www.w3.org/TR/1999/REC-xslt-19991116")
			}
		}},
		{"a changed attribute", func(p *idp) {
			p.write = func(doc string) string { return strings.Replace(doc, "Alice@Example.com", "olga@example.com", 1) }
		}},
		{"a changed NameID", func(p *idp) {
			p.write = func(doc string) string { return strings.Replace(doc, "ada-at", "olga-at", 1) }
		}},
		{"an empty signature", func(p *idp) {
			p.edit = func(root *etree.Element) { root.FindElement("//SignatureValue").SetText("") }
		}},
		{"the signature of another assertion", func(p *idp) {
			p.change = func(l *login) { l.AssertionID = "same" }
			p.edit = func(root *etree.Element) {
				a := assertionOf(root)
				a.FindElement("./Subject/NameID").SetText("olga")
			}
		}},
		{"an expired certificate", func(p *idp) {
			p.signer = certify(t, p.signer.key, time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC),
				time.Date(2001, 1, 1, 0, 0, 0, 0, time.UTC))
		}},
	})
}

// TestDocuments sends documents that are meant to confuse or exhaust what reads them.
func TestDocuments(t *testing.T) {
	replace := func(from, to string) func(*idp) {
		return func(p *idp) { p.write = func(doc string) string { return strings.Replace(doc, from, to, 1) } }
	}
	whole := func(write func(doc string) string) func(*idp) { return func(p *idp) { p.write = write } }
	const doctype = `<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd"><!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;">]>`
	run(t, []attack{
		{"a comment in the NameID", func(p *idp) { // which the signature does not cover
			p.name = "ada-at-the-provider.evil"
			replace(".evil", "<!---->.evil")(p)
		}},
		{"a comment in the address", func(p *idp) {
			p.person = []string{"email", "alice@example.com.evil.example"}
			replace(".com.evil", ".com<!---->.evil")(p)
		}},
		{"a processing instruction in the NameID", func(p *idp) { p.name = "ada<?x?>.evil" }},
		{"an external entity", whole(func(doc string) string { return doctype + strings.Replace(doc, "ada-at", "&x;", 1) })},
		{"a billion laughs", whole(func(doc string) string { return doctype + strings.Replace(doc, "ada-at", "&b;", 1) })},
		{"a DOCTYPE without entities", whole(func(doc string) string { return "<!DOCTYPE r>" + doc })},
		{"an entity in an attribute", replace(`Version="2.0"`, `Version="2.0" Consent="&x;"`)},
		{"another encoding", whole(func(doc string) string { return `<?xml version="1.0" encoding="UTF-7"?>` + doc })},
		{"two root elements", whole(func(doc string) string { return doc + doc })},
		{"text after the root element", whole(func(doc string) string { return doc + "x" })},
		{"not XML", whole(func(string) string { return "<" })},
		{"nothing", whole(func(string) string { return "" })},
		{"another message", replace("samlp:Response", "samlp:LogoutResponse")},
		{"ten thousand levels", replace("<samlp:Status>", "<samlp:Extensions>"+strings.Repeat("<a>", 10_000)+
			strings.Repeat("</a>", 10_000)+"</samlp:Extensions><samlp:Status>")},
		{"twenty thousand elements", replace("<samlp:Status>", "<samlp:Extensions>"+strings.Repeat("<a/>", 20_000)+
			"</samlp:Extensions><samlp:Status>")},
		{"a hundred attributes", replace("<samlp:Status>", "<samlp:Extensions"+attributes(100)+"/><samlp:Status>")},
		{"more than 256 KiB", replace("<samlp:Status>", "<samlp:Extensions>"+strings.Repeat("a", 300_000)+
			"</samlp:Extensions><samlp:Status>")},
		{"a deflated answer", func(p *idp) {
			p.write = func(string) string {
				var b bytes.Buffer
				w, _ := flate.NewWriter(&b, flate.BestCompression)
				_, _ = w.Write(make([]byte, 10<<20))
				_ = w.Close()
				return b.String()
			}
		}},
	})
}

func attributes(n int) string {
	all := ""
	for i := range n {
		all += " a" + strings.Repeat("b", i) + `=""`
	}
	return all
}

// TestAnswers lets an answer of the provider, which is signed, be about something else.
func TestAnswers(t *testing.T) {
	say := func(change func(*login)) func(*idp) { return func(p *idp) { p.change = change } }
	const other = "https://other.example"
	run(t, []attack{
		{"another audience", say(func(l *login) { l.Audience = other })},
		{"no audience", say(func(l *login) { l.Audience = "" })},
		{"an audience that begins like ours", say(func(l *login) { l.Audience += ".evil.example" })},
		{"another recipient", say(func(l *login) { l.Recipient = other })},
		{"no recipient", say(func(l *login) { l.Recipient = "" })},
		{"another destination", say(func(l *login) { l.Destination = other })},
		{"no destination", say(func(l *login) { l.Destination = "" })},
		{"another issuer", say(func(l *login) { l.Issuer = other })},
		{"no issuer", say(func(l *login) { l.Issuer = "" })},
		{"an answer to another request", say(func(l *login) { l.InResponseTo = "id-other" })},
		{"unsolicited", say(func(l *login) { l.InResponseTo = "" })},
		{"expired", say(func(l *login) {
			l.Now, l.NotBefore, l.Until = l.Now.Add(-80*time.Second), l.Now.Add(-80*time.Second), l.Now.Add(-61*time.Second)
		})},
		{"issued two minutes ago", say(func(l *login) { l.Now = l.Now.Add(-2 * time.Minute) })},
		{"not valid yet", say(func(l *login) { l.NotBefore, l.Until = l.Now.Add(61*time.Second), l.Now.Add(time.Hour) })},
		{"issued in the future", say(func(l *login) { l.Now = l.Now.Add(61 * time.Second) })},
		{"without an end", say(func(l *login) { l.Until = time.Time{} })},
		{"no success", say(func(l *login) { l.Status = "Responder" })},
		{"a status that is none", say(func(l *login) { l.Status = "Requester" })},
		{"no ID of the assertion", say(func(l *login) { l.AssertionID = "" })},
		{"a transient NameID", say(func(l *login) { l.Format = strings.Replace(persistent, "persistent", "transient", 1) })},
		{"a NameID of another format", say(func(l *login) { l.Format = "" })},
		{"an empty NameID", say(func(l *login) { l.NameID = "" })},
		{"a NameID with spaces", say(func(l *login) { l.NameID = " ada-at-the-provider" })},
		{"a NameID that is not ASCII", say(func(l *login) { l.NameID = "ad\u00e4" })},
		{"a NameID that is too long", say(func(l *login) { l.NameID = strings.Repeat("a", 250) })},
		{"no address", say(func(l *login) { l.Attributes = nil })},
		{"an address by its friendly name", func(p *idp) {
			p.before = func(root *etree.Element) {
				a := root.FindElement("//Attribute")
				a.CreateAttr("Name", "other")
				a.CreateAttr("FriendlyName", "email")
			}
		}},
		{"the address of the provider's other people", func(p *idp) {
			p.person = []string{"email", "alice@example.com\n,olga@example.com"}
		}},
		{"a condition that nobody knows", func(p *idp) {
			p.before = func(root *etree.Element) { root.FindElement("//Conditions").CreateElement("saml:Condition") }
		}},
		{"a proof of another kind than bearer", func(p *idp) {
			p.before = func(root *etree.Element) {
				root.FindElement("//SubjectConfirmation").CreateAttr("Method", "urn:oasis:names:tc:SAML:2.0:cm:sender-vouches")
			}
		}},
		{"no statement that the person has logged in", func(p *idp) {
			p.before = func(root *etree.Element) {
				a := assertionOf(root)
				a.RemoveChild(a.SelectElement("saml:AuthnStatement"))
			}
		}},
		{"another version", func(p *idp) {
			p.before = func(root *etree.Element) { assertionOf(root).CreateAttr("Version", "1.1") }
		}},
	})
}

// TestFlows attacks the steps between the browser, the server and the provider.
func TestFlows(t *testing.T) {
	p := newIDP(t)
	s := start(t, "", p)
	victim, attacker := newBrowser(s), newBrowser(s)
	// Login CSRF: the attacker's answer in the victim's browser.
	victim.begin(p, "")
	if a := victim.finish(p.authorize(attacker.begin(p, ""))); a.status != 400 || victim.who() != "" {
		t.Errorf("an answer for another browser: %v", a)
	}
	// The same with the victim's own state: the answer belongs to another request.
	r := victim.begin(p, "")
	answer := p.authorize(attacker.begin(p, ""))
	answer.Set("RelayState", r.state)
	if a := victim.finish(answer); a.status != 400 || victim.who() != "" {
		t.Errorf("an answer to another request: %v", a)
	}
	answer = p.authorize(victim.begin(p, ""))
	if a := victim.finish(answer); a.status != 302 || victim.who() != "alice@example.com" {
		t.Fatalf("%v", a)
	}
	if a := victim.finish(answer); a.status != 400 {
		t.Errorf("an answer was accepted twice: %v", a)
	}
	first, second := attacker.begin(p, ""), attacker.begin(p, "") // two tabs
	if attacker.finish(p.authorize(first)).status != 302 || attacker.finish(p.authorize(second)).status != 302 {
		t.Error("logins in two tabs")
	}
	for name, change := range map[string]func(url.Values){
		"another state": func(q url.Values) { q.Set("RelayState", strings.Repeat("a", 43)) },
		"no state":      func(q url.Values) { q.Del("RelayState") },
		"no answer":     func(q url.Values) { q.Del("SAMLResponse") },
		"no base64":     func(q url.Values) { q.Set("SAMLResponse", "<>") },
		"the address as state, as if the provider began": func(q url.Values) { q.Set("RelayState", site) },
	} {
		b := newBrowser(s)
		q := p.authorize(b.begin(p, ""))
		change(q)
		if a := b.finish(q); a.status != 400 || b.who() != "" {
			t.Errorf("%s: %v", name, a)
		}
	}
	// An assertion that was used, in an answer to the request of another login.
	p.change = func(l *login) { l.AssertionID = "used" }
	b := newBrowser(s)
	if a := b.login(p, ""); a.status != 302 {
		t.Errorf("%v", a)
	}
	b = newBrowser(s)
	if a := b.login(p, ""); a.status != 400 || b.who() != "" {
		t.Errorf("an assertion was accepted twice: %v", a)
	}
	p.change = nil
	s.RunJob("saml.forget_assertions")
	for _, next := range []string{
		"//evil.example", `/\evil.example`, "https://evil.example", "/\tx", "javascript:alert(1)",
	} {
		if a := newBrowser(s).login(p, "?next="+url.QueryEscape(next)); a.status != 302 || a.to != "/" {
			t.Errorf("%s leads to %s", next, a.to)
		}
	}
	b = newBrowser(s)
	r = b.begin(p, "")
	s.Clock.Advance(10 * time.Minute)
	if a := b.finish(p.authorize(r)); a.status != 400 {
		t.Errorf("after ten minutes: %v", a)
	}
}
