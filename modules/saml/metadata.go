package saml

import (
	"context"
	"crypto/x509"
	"encoding/base64"
	"encoding/xml"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/crewjam/saml"
)

// Times for which a provider's metadata, and a failure to read it, are remembered.
const (
	metadataAge = 24 * time.Hour
	failureAge  = 30 * time.Second
	rereadAge   = time.Minute // when an answer is signed with an unknown certificate
)

// metadata returns the provider's metadata, which it reads at the first use and then once a day. While the provider
// cannot be reached, it fails at once.
func (p *provider) metadata(ctx context.Context) (*saml.EntityDescriptor, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.clock.Now()
	switch age := now.Sub(p.at); {
	case p.fixed != nil:
		return p.fixed, nil
	case p.failed != nil && age < failureAge && p.known == nil:
		return nil, p.failed
	case p.known != nil && !p.over(now) && (age < metadataAge || p.failed != nil && age < failureAge):
		return p.known, nil
	}
	return p.read(ctx, now)
}

// reread reads the metadata again, if it is older than a minute, because the provider may have changed its key. It
// returns nil if there is nothing new.
func (p *provider) reread(ctx context.Context) *saml.EntityDescriptor {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.clock.Now()
	if p.fixed != nil || now.Sub(p.at) < rereadAge {
		return nil
	}
	m, err := p.read(ctx, now)
	if err != nil || p.failed != nil {
		return nil
	}
	return m
}

// read reads the metadata. The caller holds the lock.
func (p *provider) read(ctx context.Context, now time.Time) (*saml.EntityDescriptor, error) {
	doc, err := p.fetch(ctx)
	if errors.Is(err, context.Canceled) {
		return nil, err // by the person; says nothing about the provider
	}
	var fresh *saml.EntityDescriptor
	if err == nil {
		fresh, err = p.parse(doc)
	}
	p.at, p.failed = now, err
	if err == nil {
		p.known = fresh
	}
	if p.known == nil || p.over(now) {
		if p.failed == nil {
			p.failed = errors.New("the metadata has expired")
		}
		p.known = nil
		return nil, p.failed
	}
	return p.known, nil // rather the old metadata than none
}

// over reports whether the metadata that is known says that it must not be used any more.
func (p *provider) over(now time.Time) bool {
	return !p.known.ValidUntil.IsZero() && now.After(p.known.ValidUntil)
}

// entities is a metadata document with several entities.
type entities struct {
	XMLName  xml.Name                `xml:"urn:oasis:names:tc:SAML:2.0:metadata EntitiesDescriptor"`
	Entities []saml.EntityDescriptor `xml:"urn:oasis:names:tc:SAML:2.0:metadata EntityDescriptor"`
}

// parse parses metadata of the provider, which must contain a usable address and a certificate.
func (p providerConfig) parse(doc []byte) (*saml.EntityDescriptor, error) {
	root, err := outline(doc)
	if err != nil {
		return nil, err
	}
	var all entities
	switch root.Local {
	case "EntityDescriptor":
		all.Entities = make([]saml.EntityDescriptor, 1)
		err = xml.Unmarshal(doc, &all.Entities[0])
	case "EntitiesDescriptor":
		err = xml.Unmarshal(doc, &all)
	default:
		return nil, errors.New("is not the metadata of a SAML provider")
	}
	if err != nil {
		return nil, err
	}
	all.Entities = slices.DeleteFunc(all.Entities, func(m saml.EntityDescriptor) bool {
		return len(m.IDPSSODescriptors) == 0 || p.EntityID != "" && m.EntityID != p.EntityID
	})
	switch {
	case len(all.Entities) == 0 && p.EntityID != "":
		return nil, fmt.Errorf("the metadata describes no provider with the entity_id %q", p.EntityID)
	case len(all.Entities) == 0:
		return nil, errors.New("the metadata describes no identity provider; is it that of a service?")
	case len(all.Entities) > 1:
		return nil, errors.New("the metadata describes several providers; choose one with entity_id")
	}
	return p.checked(&all.Entities[0])
}

// checked checks the addresses and certificates of a provider.
func (p providerConfig) checked(m *saml.EntityDescriptor) (*saml.EntityDescriptor, error) {
	if m.EntityID == "" || len(m.EntityID) > 1024 {
		return nil, errors.New("the metadata has no entity ID")
	}
	to, _ := p.loginAddress(m)
	if err := checkURL(to); err != nil {
		return nil, fmt.Errorf("the metadata's address for logins %q is not usable: %w", to, err)
	}
	if to := logoutAddress(m); to != "" {
		if err := checkURL(to); err != nil {
			return nil, fmt.Errorf("the metadata's address for logouts %q is not usable: %w", to, err)
		}
	}
	all, err := certificatesOf(m)
	if err == nil && len(all) == 0 {
		err = errors.New("the metadata contains no certificate for signatures")
	}
	return m, err
}

// loginAddress returns where the provider takes requests to log in, and how; "" if the provider lacks the binding.
func (p providerConfig) loginAddress(m *saml.EntityDescriptor) (to, binding string) {
	want := []string{saml.HTTPRedirectBinding, saml.HTTPPostBinding}
	switch p.Binding {
	case "redirect":
		want = want[:1]
	case "post":
		want = want[1:]
	}
	for _, binding := range want {
		for _, d := range m.IDPSSODescriptors {
			for _, e := range d.SingleSignOnServices {
				if e.Binding == binding {
					return e.Location, binding
				}
			}
		}
	}
	return "", ""
}

// logoutAddress returns where the provider takes answers to its requests to log out, by redirects; "": nowhere.
func logoutAddress(m *saml.EntityDescriptor) string {
	for _, d := range m.IDPSSODescriptors {
		for _, e := range d.SingleLogoutServices {
			if e.Binding == saml.HTTPRedirectBinding && e.ResponseLocation != "" {
				return e.ResponseLocation
			}
			if e.Binding == saml.HTTPRedirectBinding {
				return e.Location
			}
		}
	}
	return ""
}

// certificatesOf returns the certificates with which the provider signs.
func certificatesOf(m *saml.EntityDescriptor) ([]*x509.Certificate, error) {
	var all []*x509.Certificate
	for _, d := range m.IDPSSODescriptors {
		for _, k := range d.KeyDescriptors {
			if k.Use == "encryption" {
				continue
			}
			for _, c := range k.KeyInfo.X509Data.X509Certificates {
				der, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(c.Data), ""))
				if err != nil {
					return nil, errors.New("the metadata contains a certificate that is not base64")
				}
				one, err := x509.ParseCertificate(der)
				if err != nil {
					return nil, fmt.Errorf("the metadata contains an invalid certificate: %w", err)
				}
				all = append(all, one)
			}
		}
	}
	return all, nil
}

// fromFile returns the provider's metadata from its file.
func (p providerConfig) fromFile() (*saml.EntityDescriptor, error) {
	doc, err := readFile(p.MetadataFile, maxMetadata)
	if err != nil {
		return nil, err
	}
	return p.parse(doc)
}

// fromSettings returns metadata made of the settings.
func (p providerConfig) fromSettings() (*saml.EntityDescriptor, error) {
	d := saml.IDPSSODescriptor{}
	for _, from := range p.Certificates {
		all, err := readCertificates(from)
		if err != nil {
			return nil, err
		}
		for _, one := range all {
			k := saml.KeyDescriptor{Use: "signing"}
			k.KeyInfo.X509Data.X509Certificates = []saml.X509Certificate{{Data: base64.StdEncoding.EncodeToString(one.Raw)}}
			d.KeyDescriptors = append(d.KeyDescriptors, k)
		}
	}
	binding := saml.HTTPRedirectBinding
	if p.Binding == "post" {
		binding = saml.HTTPPostBinding
	}
	d.SingleSignOnServices = []saml.Endpoint{{Binding: binding, Location: p.SSOURL}}
	if p.SLOURL != "" {
		d.SingleLogoutServices = []saml.Endpoint{{Binding: saml.HTTPRedirectBinding, Location: p.SLOURL}}
	}
	return p.checked(&saml.EntityDescriptor{EntityID: p.EntityID, IDPSSODescriptors: []saml.IDPSSODescriptor{d}})
}
