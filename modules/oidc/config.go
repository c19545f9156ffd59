package oidc

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
)

// Config is the configuration of the module.
type Config struct {
	Providers []providerConfig `yaml:"providers"` // identity providers; see modules/oidc/README.md
}

// providerConfig configures an identity provider. Empty values are those of the preset, or else the defaults that the
// comments name.
type providerConfig struct {
	ID     string `yaml:"id"`     // stable: part of URLs, and stored with accounts; default: the preset
	Preset string `yaml:"preset"` // google, gitlab, azuread, github or apple; "": any other provider
	Issuer string `yaml:"issuer"` // the provider's issuer identifier, an https URL
	// who the server is at the provider
	ClientID     string     `yaml:"client_id"`
	ClientSecret kit.Secret `yaml:"client_secret"`
	// file that contains the secret, instead of client_secret
	ClientSecretFile string `yaml:"client_secret_file"`
	// file with a private key in PEM, with which the server signs who it is, instead of a secret (private_key_jwt); with
	// apple, the key that makes the secret
	ClientKeyFile string `yaml:"client_key_file"`
	ClientKeyID   string `yaml:"client_key_id"` // of that key at the provider
	TeamID        string `yaml:"team_id"`       // of the developer, with apple
	CAFile        string `yaml:"ca_file"`       // PEM certificates trusted in addition to the system's

	Name  string `yaml:"display_name"` // on the button of the login page
	Icon  string `yaml:"icon"`         // URL of the button's picture, for apps
	Realm string `yaml:"realm"`        // string ID of the only organization that may use it; "": all of this server

	Scopes      []string `yaml:"scopes"`       // default: openid, email, profile
	EmailClaim  string   `yaml:"email_claim"`  // default: email
	NameClaim   string   `yaml:"name_claim"`   // default: name
	GroupsClaim string   `yaml:"groups_claim"` // default: groups

	AllowedDomains []string `yaml:"allowed_domains"` // of email addresses, or with google of Workspace; empty: all
	AllowedGroups  []string `yaml:"allowed_groups"`  // groups of the provider, one of which is required; empty: none is
	AllowedTenants []string `yaml:"allowed_tenants"` // IDs of tenants, with azuread and an issuer for several
	TrustEmail     bool     `yaml:"trust_email"`     // addresses count as verified although the provider does not say so
	AutoSignUp     bool     `yaml:"auto_signup"`     // people without an account get one even if it needs an invitation
	// connects people to the account with their verified address without asking for its password; default: true for the
	// only provider
	AutoLink *bool `yaml:"auto_link_verified"`

	GroupsMap map[string]string `yaml:"groups_map"` // from groups of the provider to names of user groups
	RolesMap  map[string]string `yaml:"roles_map"`  // from groups of the provider to roles, such as admin

	ACR    []string `yaml:"acr_values"` // authentication contexts, one of which is required
	Prompt string   `yaml:"prompt"`     // such as select_account
	// authentication contexts, and methods such as mfa (RFC 8176), one of which spares people the second factor here
	TrustACR []string `yaml:"second_factor_acr"`
	TrustAMR []string `yaml:"second_factor_amr"`

	Algorithms []string      `yaml:"algorithms"` // of signatures; default: RS256, ES256, PS256, EdDSA
	ClockSkew  time.Duration `yaml:"clock_skew"` // by which the provider's clock may differ; default 1m
	Timeout    time.Duration `yaml:"timeout"`    // of everything that one request of a browser causes; default 10s
	// sends what a login asks for to the provider before the browser opens it (RFC 9126); default: if the provider offers
	// it
	PushedRequests *bool `yaml:"pushed_requests"`
	// revokes a person's API keys as well when the provider ends their sessions
	RevokeKeys bool `yaml:"revoke_keys_on_logout"`
	// takes the provider's answers at /complete/oidc/, like other servers of this protocol, rather than /complete/oidc/ID/
	ShortAddress bool `yaml:"short_address"`
}

// defaults of keys that are empty.
var (
	scopes     = []string{"openid", "email", "profile"}
	algorithms = []string{"RS256", "ES256", "PS256", "EdDSA"}
)

var validID = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,31}$`)

// Validate checks the configuration.
func (c Config) Validate() error {
	var all []error
	seen, short := map[string]bool{}, false
	for i := range c.Providers {
		p := c.Providers[i].filled()
		bad := func(key, format string, args ...any) {
			all = append(all, fmt.Errorf("providers.%d.%s: %s", i, key, fmt.Sprintf(format, args...)))
		}
		switch {
		case !validID.MatchString(p.ID):
			bad("id", "want a name of up to 32 lowercase letters, digits, - and _, such as corp")
		case seen[p.ID]:
			bad("id", "another provider has the same")
		}
		seen[p.ID] = true
		if p.ShortAddress && short {
			bad("short_address", "another provider has it")
		}
		short = short || p.ShortAddress
		p.validate(bad)
	}
	return errors.Join(all...)
}

func (p providerConfig) validate(bad func(key, format string, args ...any)) {
	if _, known := presets[p.Preset]; !known && p.Preset != "" {
		bad("preset", "want google, gitlab, azuread, github or apple, or none")
	}
	if err := checkIssuer(p.Issuer); err != nil {
		bad("issuer", "%v", err)
	}
	if p.ClientID == "" {
		bad("client_id", "is missing; the provider shows it where the server is registered")
	}
	if err := p.checkKey(); err != nil {
		bad("client_key_file", "%v", err)
	}
	switch {
	case p.ClientKeyFile != "" && (p.ClientSecret != "" || p.ClientSecretFile != ""):
		bad("client_key_file", "a secret is set as well; remove one of them")
	case p.ClientKeyFile != "":
	case p.Preset == "apple":
		bad("client_key_file", "is missing; Apple issues a key instead of a secret")
	case p.ClientSecret == "" && p.ClientSecretFile == "":
		bad("client_secret", "is missing; set it, client_secret_file or client_key_file")
	case p.ClientSecret != "" && p.ClientSecretFile != "":
		bad("client_secret_file", "client_secret is set as well; remove one of them")
	}
	if _, err := p.secret(); err != nil {
		bad("client_secret_file", "%v", err)
	}
	if _, err := p.authorities(); err != nil {
		bad("ca_file", "%v", err)
	}
	if p.Preset == "apple" && (p.TeamID == "" || p.ClientKeyID == "") {
		bad("team_id", "is missing, or client_key_id; Apple shows both in the developer's account")
	}
	if !slices.Contains(p.Scopes, "openid") && p.Preset != "github" {
		bad("scopes", "want openid among them")
	}
	for _, a := range p.Algorithms {
		if !slices.Contains(algorithms, a) && a != "RS384" && a != "RS512" && a != "ES384" && a != "ES512" &&
			a != "PS384" && a != "PS512" {
			bad("algorithms", "%s is not supported; want some of %s", a, strings.Join(algorithms, ", "))
		}
	}
	for name, role := range p.RolesMap {
		if _, ok := roles[role]; !ok {
			bad("roles_map."+name, "want owner, admin, moderator, member or guest")
		}
	}
	if p.manyTenants() && len(p.AllowedTenants) == 0 {
		bad("allowed_tenants", "is missing; the issuer %s is that of many tenants", p.Issuer)
	}
	if p.ClockSkew < 0 || p.ClockSkew > 10*time.Minute {
		bad("clock_skew", "want a time from 0 to 10m")
	}
	if p.Timeout < 0 || p.Timeout > timeout {
		bad("timeout", "want a time from 0 to %v", timeout)
	}
}

// roles are the roles that roles_map can name.
var roles = map[string]user.Role{
	"owner": user.Owner, "admin": user.Admin, "moderator": user.Moderator, "member": user.Member, "guest": user.Guest,
}

// checkIssuer requires https, except for providers on the same machine.
func checkIssuer(issuer string) error {
	u, err := url.Parse(issuer)
	switch {
	case issuer == "":
		return errors.New("is missing; it is where /.well-known/openid-configuration of the provider begins")
	case err != nil || u.Host == "" || u.RawQuery != "" || u.Fragment != "" || u.User != nil:
		return errors.New("want a URL such as https://id.example.com")
	case u.Scheme == "https" || u.Scheme == "http" && loopback(u.Hostname()):
		return nil
	}
	return errors.New("want a URL with https; anybody on the network could pose as the provider otherwise")
}

func loopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}

// filled returns the configuration with the values of the preset and the defaults.
func (p providerConfig) filled() providerConfig {
	at := presets[p.Preset]
	set := func(to *string, values ...string) {
		for _, v := range values {
			if *to == "" {
				*to = v
			}
		}
	}
	set(&p.ID, p.Preset)
	set(&p.Issuer, at.issuer)
	set(&p.Name, at.name, p.ID)
	set(&p.EmailClaim, "email")
	set(&p.NameClaim, "name")
	set(&p.GroupsClaim, at.groupsClaim, "groups")
	if len(p.Scopes) == 0 {
		p.Scopes = scopes
		if at.scopes != nil {
			p.Scopes = at.scopes(p)
		}
	}
	if len(p.Algorithms) == 0 {
		p.Algorithms = algorithms
	}
	if p.ClockSkew == 0 {
		p.ClockSkew = time.Minute
	}
	if p.Timeout == 0 {
		p.Timeout = timeout
	}
	return p
}

// secret returns the client secret.
func (p providerConfig) secret() (string, error) { return p.ClientSecret.OrFile(p.ClientSecretFile) }
