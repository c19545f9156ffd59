package saml

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/xml"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/beevik/etree"
	"github.com/crewjam/saml"
	"github.com/crewjam/saml/xmlenc"

	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/signin"
)

// Errors of answers. All others mean that an answer is not valid.
var (
	errUnreachable = errors.New("the provider's metadata cannot be read")
	errOutside     = errors.New("the configuration excludes the person's domain or groups")
	errDenied      = errors.New("the provider has not logged the person in")
)

// expected is what an answer must be about.
type expected struct {
	realm   realm.ID
	address string // of the organization, for which the assertion must be
	request string // the ID of the request; "": the provider began
}

// read verifies an answer, and returns who the person is.
func (s *service) read(ctx context.Context, p *provider, answer string, want expected) (signin.Identity, error) {
	doc, err := decode(answer)
	if err != nil {
		return signin.Identity{}, err
	}
	m, err := p.metadata(ctx)
	if err != nil {
		return signin.Identity{}, errors.Join(errUnreachable, err)
	}
	a, err := p.verify(m, doc, want)
	if errors.Is(err, saml.ErrUntrustedCertificate) {
		if fresh := p.reread(ctx); fresh != nil {
			m = fresh
			a, err = p.verify(m, doc, want)
		}
	}
	if err != nil {
		return signin.Identity{}, err
	}
	if err := s.useOnce(ctx, p, want.realm, "assertion "+a.ID); err != nil {
		return signin.Identity{}, err
	}
	return p.identity(m, a)
}

// decode decodes a message that a form contains.
func decode(text string) ([]byte, error) {
	if len(text) > base64.StdEncoding.EncodedLen(maxResponse)+maxResponse/16 {
		return nil, fmt.Errorf("the message is larger than %d bytes", maxResponse)
	}
	return base64.StdEncoding.DecodeString(strings.Join(strings.Fields(text), ""))
}

// verify verifies a response, and returns its assertion, as far as it is signed.
func (p *provider) verify(m *saml.EntityDescriptor, doc []byte, want expected) (*saml.Assertion, error) {
	about, err := inspect(doc, xml.Name{Space: nsProtocol, Local: "Response"}, p.AllowSHA1)
	if err != nil {
		return nil, err
	}
	if p.ResponsesSigned && !about.signed["Response"] {
		return nil, errors.New("the response is not signed")
	}
	if about.destination != p.answersTo(want.address) { // even of a response that is not signed
		return nil, fmt.Errorf("the response is for %s", short(about.destination))
	}
	sp := p.sp(m, want.address)
	sp.AllowIDPInitiated = want.request == ""
	a, err := sp.ParseXMLResponse(doc, []string{want.request}, sp.AcsURL)
	if err != nil {
		return nil, why(err)
	}
	if about.encrypted {
		if about, err = p.decrypted(doc); err != nil {
			return nil, err
		}
	}
	if p.assertionsSigned() && (a.Signature == nil || !about.signed["Assertion"]) {
		return nil, errors.New("the assertion itself is not signed; see want_assertions_signed")
	}
	return a, p.confirm(a, want)
}

// why returns the cause of the library's error, which the library hides, within limits.
func why(err error) error {
	var invalid *saml.InvalidResponseError
	if !errors.As(err, &invalid) || invalid.PrivateErr == nil {
		return err
	}
	cause := invalid.PrivateErr
	var status saml.ErrBadStatus
	switch {
	case errors.As(cause, &status):
		return fmt.Errorf("%w: %s", errDenied, short(status.Status))
	case errors.Is(cause, saml.ErrUntrustedCertificate):
		return fmt.Errorf("%w: %s", saml.ErrUntrustedCertificate, short(cause.Error()))
	}
	return errors.New(short(cause.Error()))
}

// maxKeys is the maximum number of keys of an encrypted assertion that are tried.
const maxKeys = 8

// decrypted inspects the assertion of a response that the library has decrypted and verified.
func (p *provider) decrypted(doc []byte) (*message, error) {
	tree := etree.NewDocument()
	if err := tree.ReadFromBytes(doc); err != nil {
		return nil, err
	}
	data, keys := tree.FindElement("//EncryptedData"), tree.FindElements("//EncryptedKey")
	if data == nil {
		return nil, errors.New("the encrypted assertion has no data")
	}
	var secret []byte
	for _, key := range keys[:min(len(keys), maxKeys)] { // for several receivers
		if one, err := xmlenc.Decrypt(p.mine.key, key); err == nil {
			secret = one
		}
	}
	if inner := data.FindElement("./KeyInfo"); inner != nil {
		data.RemoveChild(inner)
	}
	plain, err := xmlenc.Decrypt(secret, data)
	if err != nil {
		return nil, err
	}
	return inspect(plain, xml.Name{Space: nsAssertion, Local: "Assertion"}, p.AllowSHA1)
}

// confirm checks what the library checks as well, with the configured difference of the clocks, which is smaller.
func (p *provider) confirm(a *saml.Assertion, want expected) error {
	now, skew := p.clock.Now(), p.ClockSkew
	late := func(end time.Time) bool { return !end.IsZero() && !now.Before(end.Add(skew)) }
	early := func(begin time.Time) bool { return begin.After(now.Add(skew)) }
	c := a.Conditions
	if a.ID == "" || early(a.IssueInstant) || early(c.NotBefore) || late(c.NotOnOrAfter) {
		return errors.New("the assertion has expired, or is from the future; compare the clocks")
	}
	for _, one := range a.Subject.SubjectConfirmations {
		d := one.SubjectConfirmationData
		if one.Method == "urn:oasis:names:tc:SAML:2.0:cm:bearer" && d != nil && d.InResponseTo == want.request &&
			d.Recipient == p.answersTo(want.address) && !d.NotOnOrAfter.IsZero() && !late(d.NotOnOrAfter) &&
			!early(d.NotBefore) {
			return nil
		}
	}
	return errors.New("the assertion is not for this login, or has expired; compare the clocks")
}

// useOnce refuses a message that has been used before, on whichever node.
func (s *service) useOnce(ctx context.Context, p *provider, r realm.ID, id string) error {
	first := false
	sum := sha256.Sum256([]byte(p.about.ID + "\n" + id))
	err := s.Work.Do(ctx, func(ctx context.Context) (err error) {
		first, err = s.rows.Use(ctx, r, hex.EncodeToString(sum[:]), s.Clock.Now().Add(memory))
		return err
	})
	if err == nil && !first {
		err = errors.New("the message has been used before")
	}
	return err
}

// memory is how long a message is remembered. The library accepts none that was issued earlier than maxSkew ago, or
// that will be issued in the time by which clocks may differ.
const memory = time.Hour

// forget is the job that deletes assertions that nobody would accept any more.
func (s *service) forget(ctx context.Context) error {
	return s.Work.Do(ctx, func(ctx context.Context) error { return s.rows.Forget(ctx, s.Clock.Now()) })
}
