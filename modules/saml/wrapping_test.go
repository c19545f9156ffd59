package saml_test

import (
	"testing"

	"github.com/beevik/etree"
)

// evil returns a copy of an assertion that names somebody else, and is not signed.
func evil(a *etree.Element) *etree.Element {
	c := a.Copy()
	c.CreateAttr("ID", "evil")
	c.FindElement("./Subject/NameID").SetText("olga")
	c.FindElement("./AttributeStatement/Attribute/AttributeValue").SetText("olga@example.com")
	if s := c.SelectElement("ds:Signature"); s != nil {
		c.RemoveChild(s)
	}
	return c
}

// bare returns a copy of an element without its signature.
func bare(el *etree.Element) *etree.Element {
	c := el.Copy()
	if s := c.SelectElement("ds:Signature"); s != nil {
		c.RemoveChild(s)
	}
	return c
}

// wrapped changes a signed response into one that contains an evil assertion as well.
func wrapped(change func(root, signed, evil *etree.Element)) func(*idp) {
	return func(p *idp) {
		p.edit = func(root *etree.Element) { a := assertionOf(root); change(root, a, evil(a)) }
	}
}

// TestSignatureWrapping moves the signed part of an answer, and adds another. The first eight attacks are those of the
// tool SAML Raider, in its order.
func TestSignatureWrapping(t *testing.T) {
	whole := func(place func(root, original *etree.Element)) func(*idp) {
		return func(p *idp) {
			p.signWhole = true
			p.edit = func(root *etree.Element) {
				original := bare(root)
				root.CreateAttr("ID", "evil-response")
				a := assertionOf(root)
				at := a.Index()
				root.RemoveChild(a)
				root.InsertChildAt(at, evil(a))
				place(root, original)
			}
		}
	}
	run(t, []attack{
		{"XSW 1: the response inside of the signature", whole(func(root, original *etree.Element) {
			root.SelectElement("ds:Signature").AddChild(original)
		})},
		{"XSW 2: the response before the signature", whole(func(root, original *etree.Element) {
			root.InsertChildAt(root.SelectElement("ds:Signature").Index(), original)
		})},
		{"XSW 3: an assertion before the signed one", wrapped(func(root, a, evil *etree.Element) {
			root.InsertChildAt(a.Index(), evil)
		})},
		{"XSW 4: an assertion around the signed one", wrapped(func(root, a, evil *etree.Element) {
			root.InsertChildAt(a.Index(), evil)
			evil.AddChild(a)
		})},
		{"XSW 5: the signed assertion at the end, its signature in another", wrapped(func(root, a, evil *etree.Element) {
			root.InsertChildAt(a.Index(), evil)
			evil.AddChild(a.SelectElement("ds:Signature").Copy())
			root.AddChild(bare(a))
			root.RemoveChild(a)
		})},
		{"XSW 6: the signed assertion in the signature of another", wrapped(func(root, a, evil *etree.Element) {
			root.InsertChildAt(a.Index(), evil)
			s := a.SelectElement("ds:Signature").Copy()
			evil.AddChild(s)
			s.AddChild(bare(a))
			root.RemoveChild(a)
		})},
		{"XSW 7: an assertion in Extensions", wrapped(func(root, a, evil *etree.Element) {
			e := etree.NewElement("samlp:Extensions")
			e.AddChild(evil)
			root.InsertChildAt(a.Index(), e)
		})},
		{"XSW 8: the signed assertion in an Object", wrapped(func(root, a, evil *etree.Element) {
			root.InsertChildAt(a.Index(), evil)
			s := a.SelectElement("ds:Signature").Copy()
			evil.AddChild(s)
			s.CreateElement("ds:Object").AddChild(bare(a))
			root.RemoveChild(a)
		})},
		{"CVE-2021-28091: the first assertion is signed, the last is not", wrapped(func(root, _, evil *etree.Element) {
			root.AddChild(evil)
		})},
		{"CVE-2022-41912: a second assertion in a signed response", func(p *idp) {
			p.signWhole = true
			p.before = func(root *etree.Element) { root.AddChild(evil(assertionOf(root))) }
		}},
		{"an assertion of another namespace", wrapped(func(root, a, evil *etree.Element) {
			evil.CreateAttr("xmlns:saml", "urn:example")
			root.InsertChildAt(a.Index(), evil)
		})},
		{"an encrypted assertion beside the signed one", wrapped(func(root, a, _ *etree.Element) {
			root.InsertChildAt(a.Index(), etree.NewElement("saml:EncryptedAssertion"))
		})},
		{"an ID twice", func(p *idp) {
			p.before = func(root *etree.Element) { root.CreateAttr("ID", assertionOf(root).SelectAttrValue("ID", "")) }
		}},
		{"an ID twice, written differently", func(p *idp) {
			p.before = func(root *etree.Element) {
				root.CreateElement("samlp:Extensions").CreateAttr("Id", assertionOf(root).SelectAttrValue("ID", ""))
			}
		}},
		{"two signatures of the assertion", wrapped(func(_, a, _ *etree.Element) {
			a.AddChild(a.SelectElement("ds:Signature").Copy())
		})},
		{"a signature of the whole document", wrapped(func(_, a, _ *etree.Element) {
			a.FindElement("./Signature/SignedInfo/Reference").CreateAttr("URI", "")
		})},
		{"an attribute that a declaration of a namespace replaces", wrapped(func(_, a, _ *etree.Element) {
			a.FindElement("./Subject/SubjectConfirmation/SubjectConfirmationData").CreateAttr("xmlns:Recipient", "https://x")
			a.FindElement("./Subject/NameID").SetText("olga")
		})},
	})
}
