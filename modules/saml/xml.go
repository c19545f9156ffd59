package saml

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Limits of documents, which are checked before anything else parses them.
const (
	maxResponse   = 256 << 10 // bytes of XML
	maxDepth      = 32
	maxElements   = 10_000
	maxAttributes = 64 // of an element
)

// Namespaces.
const (
	nsProtocol  = "urn:oasis:names:tc:SAML:2.0:protocol"
	nsAssertion = "urn:oasis:names:tc:SAML:2.0:assertion"
	nsSignature = "http://www.w3.org/2000/09/xmldsig#"
)

// walker receives the elements of a document.
type walker interface {
	// element is called for each element, with the elements around it, the root first.
	element(around []xml.StartElement, e xml.StartElement) error
	// comment is called for each comment.
	comment() error
}

// walk reads a document within limits. It refuses documents with a DOCTYPE, so that there are no entities either.
func walk(doc []byte, w walker) error {
	// The decoder is strict, and refuses encodings other than UTF-8.
	d := xml.NewDecoder(bytes.NewReader(doc)) //nolint:gosec // reads tokens only, within limits
	var around []xml.StartElement
	elements, roots := 0, 0
	for {
		before := d.InputOffset()
		t, err := d.Token()
		if errors.Is(err, io.EOF) && roots == 1 && len(around) == 0 {
			return nil
		}
		if err != nil {
			return fmt.Errorf("the document is not XML: %w", err)
		}
		switch t := t.(type) {
		case xml.Directive:
			return errors.New("the document has a DOCTYPE")
		case xml.ProcInst:
			if t.Target != "xml" || before != 0 {
				return errors.New("the document has a processing instruction")
			}
		case xml.Comment:
			if err := w.comment(); err != nil {
				return err
			}
		case xml.CharData:
			if len(around) == 0 && len(bytes.TrimSpace(t)) > 0 {
				return errors.New("the document has text outside of its root element")
			}
		case xml.StartElement:
			if len(around) == 0 {
				roots++
			}
			elements++
			if roots > 1 || elements > maxElements || len(around) >= maxDepth || len(t.Attr) > maxAttributes {
				return errors.New("the document has too many elements or attributes, or is too deep")
			}
			if err := w.element(around, t); err != nil {
				return err
			}
			around = append(around, t.Copy())
		case xml.EndElement:
			around = around[:len(around)-1]
		}
	}
}

// outlining is the walker that finds the name of the root element.
type outlining struct{ root xml.Name }

func (o *outlining) element(around []xml.StartElement, e xml.StartElement) error {
	if len(around) == 0 {
		o.root = e.Name
	}
	return nil
}

func (*outlining) comment() error { return nil }

// outline checks the limits of a document from a source that is trusted otherwise, and returns its root's name.
func outline(doc []byte) (xml.Name, error) {
	var o outlining
	err := walk(doc, &o)
	return o.root, err
}

// message is the walker that checks a protocol message or an assertion, and describes it. Whatever a message of a
// provider need not contain is refused, because attacks on signatures (XML signature wrapping) hide the signed part
// of a message and add another: a second assertion or response, parts without meaning such as ds:Object, an ID that
// two elements have, or a signature at another place than in the element that it signs.
type message struct {
	root xml.Name // which the document must have
	sha1 bool     // signatures with SHA-1 are allowed

	destination string // for which the message is
	ids         map[string]bool
	assertions  int
	encrypted   bool            // the assertion is encrypted
	signed      map[string]bool // names of the elements that contain a signature
}

// inspect checks a message.
func inspect(doc []byte, root xml.Name, sha1 bool) (*message, error) {
	if len(doc) > maxResponse {
		return nil, fmt.Errorf("the message is larger than %d bytes", maxResponse)
	}
	m := &message{root: root, sha1: sha1, ids: map[string]bool{}, signed: map[string]bool{}}
	return m, walk(doc, m)
}

func (*message) comment() error { return errors.New("the message contains a comment") }

// refused lists elements that no message may contain, by their local names.
var refused = []string{
	"Object", "Manifest", "SignatureProperties", "CipherReference", "EncryptedID", "EncryptedAttribute", "NewEncryptedID",
	"BaseID", "HMACOutputLength", "XPath", "Advice", "AssertionIDRef",
}

func (m *message) element(around []xml.StartElement, e xml.StartElement) error {
	name := e.Name.Local
	if len(around) == 0 && e.Name != m.root {
		return fmt.Errorf("the message is %s", short(name))
	}
	if slices.Contains(refused, name) || name == "Response" && len(around) > 0 {
		return fmt.Errorf("the message contains %s", name)
	}
	for _, a := range e.Attr {
		if len(around) == 0 && a.Name == (xml.Name{Local: "Destination"}) {
			m.destination = a.Value
		}
		if !strings.EqualFold(a.Name.Local, "id") || a.Name.Space == "xmlns" {
			continue
		}
		if m.ids[a.Value] || a.Value == "" {
			return errors.New("two elements of the message have the same ID")
		}
		m.ids[a.Value] = true
	}
	switch name {
	case "Assertion", "EncryptedAssertion":
		return m.assertion(around, e)
	case "Signature":
		return m.signature(around, e)
	}
	return m.algorithm(around, e)
}

// assertion checks that the assertion is the only one, and where it belongs.
func (m *message) assertion(around []xml.StartElement, e xml.StartElement) error {
	m.assertions++
	m.encrypted = e.Name.Local == "EncryptedAssertion"
	inside := len(around) == 1 && m.root.Local == "Response" || len(around) == 0 && m.root.Local == "Assertion"
	if m.assertions > 1 || e.Name.Space != nsAssertion || !inside {
		return errors.New("the message contains several assertions, or one at another place than in the response")
	}
	return nil
}

// signature checks that a signature is the only one of the message or of the assertion.
func (m *message) signature(around []xml.StartElement, e xml.StartElement) error {
	if len(around) == 0 || e.Name.Space != nsSignature {
		return errors.New("the message contains a signature of another kind")
	}
	of := around[len(around)-1].Name
	if len(around) > 1 && of != (xml.Name{Space: nsAssertion, Local: "Assertion"}) || m.signed[of.Local] {
		return errors.New("the message contains a signature at another place than in what it signs")
	}
	m.signed[of.Local] = true
	return nil
}

// Algorithms that messages may use.
var (
	signatures = []string{
		"http://www.w3.org/2001/04/xmldsig-more#rsa-sha256", "http://www.w3.org/2001/04/xmldsig-more#rsa-sha384",
		"http://www.w3.org/2001/04/xmldsig-more#rsa-sha512", "http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha256",
		"http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha384", "http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha512",
	}
	digests = []string{
		"http://www.w3.org/2001/04/xmlenc#sha256", "http://www.w3.org/2001/04/xmldsig-more#sha384",
		"http://www.w3.org/2001/04/xmlenc#sha512",
	}
	weak = []string{
		nsSignature + "rsa-sha1", nsSignature + "sha1", "http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha1",
	}
	canonical  = []string{"http://www.w3.org/2001/10/xml-exc-c14n#"}
	transforms = append([]string{nsSignature + "enveloped-signature"}, canonical...)
	ciphers    = []string{
		"http://www.w3.org/2009/xmlenc11#aes128-gcm", "http://www.w3.org/2009/xmlenc11#aes192-gcm",
		"http://www.w3.org/2009/xmlenc11#aes256-gcm", "http://www.w3.org/2001/04/xmlenc#aes128-cbc",
		"http://www.w3.org/2001/04/xmlenc#aes192-cbc", "http://www.w3.org/2001/04/xmlenc#aes256-cbc",
	}
	transports = []string{ // of keys; not PKCS #1 1.5, which tells attackers whether they guessed a part
		"http://www.w3.org/2001/04/xmlenc#rsa-oaep-mgf1p", "http://www.w3.org/2009/xmlenc11#rsa-oaep",
	}
)

// algorithm checks the algorithm that an element names.
func (m *message) algorithm(around []xml.StartElement, e xml.StartElement) error {
	parent := ""
	if len(around) > 0 {
		parent = around[len(around)-1].Name.Local
	}
	var allowed []string
	switch e.Name.Local {
	case "SignatureMethod":
		allowed = signatures
	case "DigestMethod":
		if parent == "EncryptionMethod" { // part of OAEP, which does not need a strong one
			return nil
		}
		allowed = digests
	case "CanonicalizationMethod":
		allowed = canonical
	case "Transform":
		allowed = transforms
	case "EncryptionMethod":
		if allowed = ciphers; parent == "EncryptedKey" {
			allowed = transports
		}
	default:
		return nil
	}
	of := ""
	for _, a := range e.Attr {
		if a.Name.Local == "Algorithm" {
			of += a.Value // two attributes of different namespaces are no algorithm
		}
	}
	if slices.Contains(allowed, of) || m.sha1 && slices.Contains(weak, of) {
		return nil
	}
	return fmt.Errorf("the message uses the algorithm %s for %s, which is not allowed", short(of), e.Name.Local)
}

// short returns a text of a message for the log.
func short(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return '?'
		}
		return r
	}, s[:min(len(s), 200)])
	return `"` + s + `"`
}
