package saml

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"slices"
	"strings"

	"github.com/crewjam/saml"

	"github.com/stoachat/stoa/domain/signin"
)

// identity returns who an assertion is about. Errors: errOutside.
func (p *provider) identity(m *saml.EntityDescriptor, a *saml.Assertion) (signin.Identity, error) {
	named, all := a.Subject.NameID, attributesOf(a)
	if named == nil {
		return signin.Identity{}, errors.New("the assertion names nobody")
	}
	id := signin.Identity{
		Email: all.first(p.EmailAttribute), Name: all.name(p.NameAttributes), Groups: all[p.GroupsAttribute],
		Verified: p.TrustEmail,
	}
	var err error
	if id.Subject, err = p.subject(m, named, all); err != nil {
		return id, err
	}
	for _, one := range a.AuthnStatements {
		id.Session = session(m, named, one.SessionIndex)
		if end := one.SessionNotOnOrAfter; end != nil && (id.Ends.IsZero() || end.Before(id.Ends)) {
			id.Ends = *end
		}
		if c := one.AuthnContext.AuthnContextClassRef; c != nil && slices.Contains(p.TrustContexts, c.Value) {
			id.SecondFactor = true
		}
	}
	if !id.Ends.IsZero() && !p.clock.Now().Before(id.Ends) {
		return id, errors.New("the session at the provider has ended; compare the clocks")
	}
	_, domain, _ := strings.Cut(id.Email, "@")
	if len(p.AllowedDomains) > 0 && !slices.ContainsFunc(p.AllowedDomains, func(d string) bool {
		return strings.EqualFold(d, domain)
	}) {
		return id, errOutside
	}
	if len(p.AllowedGroups) > 0 && !slices.ContainsFunc(p.AllowedGroups, func(g string) bool {
		return slices.Contains(id.Groups, g)
	}) {
		return id, errOutside
	}
	return id, nil
}

// subject returns what identifies the person for ever: the provider, since a name means somebody else at another one,
// and the NameID or the attribute.
func (p *provider) subject(m *saml.EntityDescriptor, named *saml.NameID, all attributes) (string, error) {
	if p.SubjectAttribute != "" {
		values := all[p.SubjectAttribute]
		if len(values) != 1 || values[0] == "" {
			return "", errors.New("the assertion lacks subject_attribute, or has several values of it")
		}
		return origin(m) + values[0], nil
	}
	format := saml.NameIDFormat(named.Format)
	if format == "" {
		format = saml.UnspecifiedNameIDFormat
	}
	if format != nameIDFormats[p.NameIDFormat] {
		return "", errors.New("the NameID has the format " + short(named.Format) + ", not that of name_id_format")
	}
	if named.Value == "" || named.Value != strings.TrimSpace(named.Value) {
		return "", errors.New("the NameID is empty, or has spaces around it")
	}
	return origin(m) + named.Value, nil
}

// origin returns the part of subjects that stands for a provider's entity ID.
func origin(m *saml.EntityDescriptor) string { return digest(m.EntityID) + "!" }

// session returns the name of a session at the provider, which belongs to a person.
func session(m *saml.EntityDescriptor, named *saml.NameID, index string) string {
	return digest(m.EntityID, named.Value, index)
}

// digest returns a short hash of texts.
func digest(texts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(texts, "\x00")))
	return hex.EncodeToString(sum[:8])
}

// attributes are the values of attributes by name.
type attributes map[string][]string

// attributesOf returns the attributes of an assertion. Friendly names are ignored, since they identify nothing.
func attributesOf(a *saml.Assertion) attributes {
	all := attributes{}
	for _, s := range a.AttributeStatements {
		for _, one := range s.Attributes {
			for _, v := range one.Values {
				if text := strings.TrimSpace(v.Value); text != "" && !v.Nil {
					all[one.Name] = append(all[one.Name], text)
				}
			}
		}
	}
	return all
}

// first returns the first value of an attribute, or "".
func (a attributes) first(name string) string {
	if values := a[name]; len(values) > 0 {
		return values[0]
	}
	return ""
}

// name returns the full name that several attributes make.
func (a attributes) name(names []string) string {
	var parts []string
	for _, name := range names {
		if v := a.first(name); v != "" {
			parts = append(parts, v)
		}
	}
	return strings.Join(parts, " ")
}
