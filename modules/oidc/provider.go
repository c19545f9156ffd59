package oidc

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"github.com/stoachat/stoa/domain/signin"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/ports"
)

// Times for which a provider's metadata, and a failure to read it, are remembered.
const (
	metadataAge = 24 * time.Hour
	failureAge  = 30 * time.Second
)

// provider is a configured identity provider.
type provider struct {
	providerConfig

	about  signin.Provider
	http   *http.Client
	hidden string // the client secret
	key    *clientKey
	clock  ports.Clock

	mu     sync.Mutex
	known  *metadata
	failed error     // of the last attempt
	at     time.Time // of the last attempt
}

// metadata is what a provider's discovery document says; see OpenID Connect Discovery 1.0.
type metadata struct {
	*oidc.Provider

	AlwaysIss  bool   `json:"authorization_response_iss_parameter_supported"` // RFC 9207
	EndSession string `json:"end_session_endpoint"`
	Pushed     string `json:"pushed_authorization_request_endpoint"` // RFC 9126; "": none

	Authentication []string `json:"token_endpoint_auth_methods_supported"`
}

func newProvider(c providerConfig, only bool, clock ports.Clock) (*provider, error) {
	p := &provider{providerConfig: c, clock: clock}
	var err error
	if p.hidden, err = c.secret(); err != nil {
		return nil, err
	}
	if p.key, err = c.key(); err != nil {
		return nil, err
	}
	if p.http, err = c.client(); err != nil {
		return nil, err
	}
	p.about = signin.Provider{ID: p.method(), Name: c.Name, SignUp: c.AutoSignUp, Link: only,
		RevokeKeys: c.RevokeKeys, CrossSite: presets[c.Preset].formPost}
	if c.AutoLink != nil {
		p.about.Link = *c.AutoLink
	}
	p.about.Groups, p.about.Roles = c.GroupsMap, map[string]user.Role{}
	for group, role := range c.RolesMap {
		p.about.Roles[group] = roles[role]
	}
	return p, nil
}

// method returns the name of the method, as clients know it.
func (p *provider) method() string {
	if p.ID == p.Preset {
		return p.ID
	}
	return "oidc:" + p.ID
}

// path returns the last parts of the paths that belong to the provider.
func (p *provider) path() string {
	if p.ID == p.Preset {
		return "/" + p.ID
	}
	return "/oidc/" + p.ID
}

// metadata returns the provider's metadata, which it reads at the first use and then once a day. While the provider
// cannot be reached, it fails at once.
func (p *provider) metadata(ctx context.Context) (*metadata, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.clock.Now()
	switch age := now.Sub(p.at); {
	case p.failed != nil && age < failureAge && p.known == nil:
		return nil, p.failed
	case p.known != nil && (age < metadataAge || p.failed != nil && age < failureAge):
		return p.known, nil
	}
	fresh, err := p.discover(ctx)
	if errors.Is(err, context.Canceled) {
		return nil, err // by the person; says nothing about the provider
	}
	p.at, p.failed = now, err
	if err == nil {
		p.known = fresh
	}
	if p.known == nil {
		return nil, err
	}
	return p.known, nil // rather the old metadata than none
}

func (p *provider) discover(ctx context.Context) (*metadata, error) {
	ctx = oidc.ClientContext(ctx, p.http)
	if p.Preset == "github" {
		return p.gitHubMetadata(ctx), nil
	}
	if p.manyTenants() { // whose document names a template of an issuer
		ctx = oidc.InsecureIssuerURLContext(ctx, entra+"{tenantid}/v2.0")
	}
	found, err := oidc.NewProvider(ctx, p.Issuer)
	if err != nil {
		return nil, err
	}
	m := &metadata{Provider: found}
	if err := found.Claims(m); err != nil {
		return nil, fmt.Errorf("the metadata is invalid: %w", err)
	}
	at := found.Endpoint()
	addresses := []string{at.AuthURL, at.TokenURL}
	if m.Pushed != "" {
		addresses = append(addresses, m.Pushed)
	}
	for _, address := range addresses {
		if err := checkIssuer(address); err != nil {
			return nil, fmt.Errorf("the metadata contains the endpoint %q", address)
		}
	}
	return m, nil
}

// oauth returns the OAuth 2.0 client, whose answers arrive at an address.
func (p *provider) oauth(m *metadata, address string) *oauth2.Config {
	return &oauth2.Config{
		ClientID: p.ClientID, ClientSecret: p.hidden, Endpoint: m.Endpoint(), RedirectURL: address, Scopes: p.Scopes,
	}
}

// verifier returns what verifies the provider's tokens.
func (p *provider) verifier(ctx context.Context, m *metadata) *oidc.IDTokenVerifier {
	return m.VerifierContext(oidc.ClientContext(ctx, p.http), &oidc.Config{
		ClientID: p.ClientID, SupportedSigningAlgs: p.Algorithms, SkipIssuerCheck: p.manyTenants(),
		Now: func() time.Time { return p.clock.Now().Add(-p.ClockSkew) },
	})
}
