package saml

import (
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/crewjam/saml"
	dsig "github.com/russellhaering/goxmldsig"

	"github.com/stoachat/stoa/domain/signin"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/ports"
)

// provider is a configured identity provider.
type provider struct {
	providerConfig

	about signin.Provider
	http  *http.Client
	mine  ownKey
	clock ports.Clock
	fixed *saml.EntityDescriptor // made of the settings; nil: read from metadata_url or metadata_file

	mu     sync.Mutex
	known  *saml.EntityDescriptor
	failed error     // of the last attempt
	at     time.Time // of the last attempt
}

func newProvider(c providerConfig, only bool, clock ports.Clock) (*provider, error) {
	p := &provider{providerConfig: c, clock: clock}
	var err error
	if p.http, err = c.client(); err != nil {
		return nil, err
	}
	mine, wrong := c.own()
	if wrong != nil {
		return nil, wrong
	}
	p.mine = mine
	if c.SSOURL != "" {
		if p.fixed, err = c.fromSettings(); err != nil {
			return nil, err
		}
	}
	p.about = signin.Provider{
		ID: "saml:" + c.ID, Name: c.Name, SignUp: c.AutoSignUp, Link: only, CrossSite: true, FollowName: true,
		Groups: c.GroupsMap, Roles: map[string]user.Role{},
	}
	if c.AutoLink != nil {
		p.about.Link = *c.AutoLink
	}
	for group, role := range c.RolesMap {
		p.about.Roles[group] = roles[role]
	}
	return p, nil
}

// path returns the last parts of the paths that belong to the provider.
func (p *provider) path() string { return "/saml/" + p.ID }

func (p *provider) completePath() string {
	if p.ShortAddress {
		return completePath + "/saml"
	}
	return completePath + p.path()
}

// metadataPath returns the path of the server's metadata for the provider.
func (p *provider) metadataPath() string {
	if p.ShortAddress {
		return "/saml/metadata.xml"
	}
	return p.path() + "/metadata.xml"
}

// logoutPath returns the path of the provider's requests to end sessions.
func (p *provider) logoutPath() string { return p.path() + "/logout" }

// answersTo returns the address to which the provider sends its answers, at an address of the server.
func (p *provider) answersTo(address string) string { return address + p.completePath() + "/" }

// sp returns the library's service provider, which is the organization at an address. m is nil if it need not know the
// identity provider.
func (p *provider) sp(m *saml.EntityDescriptor, address string) *saml.ServiceProvider {
	sp := &saml.ServiceProvider{
		EntityID:    address,
		IDPMetadata: m, Clock: dsig.NewFakeClockAt(p.clock.Now()),
		MetadataURL: parsed(address + p.metadataPath()), AcsURL: parsed(p.answersTo(address)),
		SloURL: parsed(address + p.logoutPath()), LogoutBindings: []string{saml.HTTPRedirectBinding},
		AssertionConsumerServiceBindings: []string{saml.HTTPPostBinding}, MetadataOmitValidUntil: true,
		AuthnNameIDFormat:    nameIDFormats[p.NameIDFormat],
		RejectSHA1Signatures: !p.AllowSHA1, RejectUnknownConditions: true, RejectExpiredIDPMetadata: true,
		RequireSignedResponseForCBC: true, LimitRelayStateLength: true,
	}
	if p.mine.key != nil {
		sp.Key, sp.Certificate = p.mine.key, p.mine.certificate
		sp.LogoutSignatureMethod = dsig.RSASHA256SignatureMethod
		if p.SignRequests {
			sp.SignatureMethod = dsig.RSASHA256SignatureMethod
		}
	}
	if p.ForceAuthn {
		sp.ForceAuthn = &p.ForceAuthn
	}
	if len(p.Contexts) > 0 {
		sp.RequestedAuthnContext = &saml.RequestedAuthnContext{Comparison: "exact", AuthnContextClassRefs: p.Contexts}
		sp.ValidateAuthnContextClassRef = true
	}
	return sp
}

// parsed parses an address of the server, which is a URL.
func parsed(address string) url.URL {
	u, err := url.Parse(address)
	if err != nil {
		return url.URL{}
	}
	return *u
}
