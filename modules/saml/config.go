package saml

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"regexp"
	"time"

	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
)

// Config is the configuration of the module.
type Config struct {
	Providers []providerConfig `yaml:"providers"` // identity providers; see modules/saml/README.md
}

// providerConfig configures an identity provider. Empty values are those of the preset, or else the defaults that the
// comments name.
type providerConfig struct {
	ID     string `yaml:"id"`     // stable: part of URLs, and stored with accounts; default: the preset
	Preset string `yaml:"preset"` // authentik, entra or adfs; "": any other provider

	// where the provider's metadata is; without it, entity_id, sso_url and certificates
	MetadataURL  string `yaml:"metadata_url"`
	MetadataFile string `yaml:"metadata_file"`
	CAFile       string `yaml:"ca_file"` // PEM certificates trusted in addition to the system's, for metadata_url

	EntityID string `yaml:"entity_id"` // of the provider; with metadata, the entity that it must describe
	SSOURL   string `yaml:"sso_url"`   // where the provider takes requests to log in
	SLOURL   string `yaml:"slo_url"`   // where the provider takes answers to its requests to log out
	// with which the provider signs: files in PEM, or the certificates themselves; several while it changes its key
	Certificates []string `yaml:"certificates"`

	// the server's own private key in PEM, which signs requests and decrypts assertions, and its certificate
	Key             kit.Secret `yaml:"key"`
	KeyFile         string     `yaml:"key_file"`
	CertificateFile string     `yaml:"certificate_file"`
	SignRequests    bool       `yaml:"sign_requests"`
	Binding         string     `yaml:"binding"` // of requests: redirect or post; default: redirect if the provider has it

	// the assertion itself must be signed, not only the response around it; default: true
	AssertionsSigned *bool `yaml:"want_assertions_signed"`
	ResponsesSigned  bool  `yaml:"want_responses_signed"` // the response must be signed as well
	AllowSHA1        bool  `yaml:"allow_sha1"`            // accepts signatures with SHA-1, which can be forged
	// accepts people who begin at the provider; it must send the organization's URL as RelayState
	IDPInitiated bool `yaml:"idp_initiated"`

	Name  string `yaml:"display_name"` // on the button of the login page
	Icon  string `yaml:"icon"`         // URL of the button's picture, for apps
	Realm string `yaml:"realm"`        // string ID of the only organization that may use it; "": all of this server

	NameIDFormat     string   `yaml:"name_id_format"`    // persistent, emailAddress or unspecified; default: persistent
	SubjectAttribute string   `yaml:"subject_attribute"` // identifies people instead of the NameID, if it never changes
	EmailAttribute   string   `yaml:"email_attribute"`   // default: email
	NameAttributes   []string `yaml:"name_attributes"`   // whose values make the full name; default: name
	GroupsAttribute  string   `yaml:"groups_attribute"`  // default: groups

	AllowedDomains []string `yaml:"allowed_domains"` // of email addresses; empty: all
	AllowedGroups  []string `yaml:"allowed_groups"`  // groups of the provider, one of which is required; empty: none is
	TrustEmail     bool     `yaml:"trust_email"`     // people cannot enter addresses at the provider that are not theirs
	AutoSignUp     bool     `yaml:"auto_signup"`     // people without an account get one even if it needs an invitation
	// connects people to the account with their address without asking for its password; default: true for the only
	// provider
	AutoLink *bool `yaml:"auto_link_verified"`

	GroupsMap map[string]string `yaml:"groups_map"` // from groups of the provider to names of user groups
	RolesMap  map[string]string `yaml:"roles_map"`  // from groups of the provider to roles, such as admin

	Contexts   []string `yaml:"authn_contexts"` // authentication contexts, one of which is required
	ForceAuthn bool     `yaml:"force_authn"`    // the provider asks for the password although the person is logged in there
	// authentication contexts, one of which spares people the second factor here
	TrustContexts []string `yaml:"second_factor_contexts"`

	ClockSkew time.Duration `yaml:"clock_skew"` // by which the provider's clock may differ; default 1m
	Timeout   time.Duration `yaml:"timeout"`    // of reading metadata_url; default 10s
	// takes the provider's answers at /complete/saml/, like other servers of this protocol, rather than /complete/saml/ID/
	ShortAddress bool `yaml:"short_address"`
}

// Limits of times in the configuration.
const (
	timeout = 10 * time.Second
	maxSkew = 90 * time.Second // the library accepts no message that is older
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

// report reports what is wrong with a key.
type report func(key, format string, args ...any)

func (p providerConfig) validate(bad report) {
	if _, known := presets[p.Preset]; !known && p.Preset != "" {
		bad("preset", "want authentik, entra or adfs, or none")
	}
	p.validateSource(bad)
	p.validateKeys(bad)
	if _, known := nameIDFormats[p.NameIDFormat]; !known {
		bad("name_id_format", "want persistent, emailAddress or unspecified; transient ones identify nobody the next time")
	}
	for name, role := range p.RolesMap {
		if _, ok := roles[role]; !ok {
			bad("roles_map."+name, "want owner, admin, moderator, member or guest")
		}
	}
	if p.Binding != "" && p.Binding != "redirect" && p.Binding != "post" {
		bad("binding", "want redirect or post")
	}
	if p.ClockSkew < 0 || p.ClockSkew > maxSkew {
		bad("clock_skew", "want a time from 0 to %v; correct the clocks if they differ more", maxSkew)
	}
	if p.Timeout < 0 || p.Timeout > timeout {
		bad("timeout", "want a time from 0 to %v", timeout)
	}
}

// validateSource checks where the provider's addresses and certificates come from.
func (p providerConfig) validateSource(bad report) {
	given := 0
	for _, source := range []string{p.MetadataURL, p.MetadataFile, p.SSOURL} {
		if source != "" {
			given++
		}
	}
	switch {
	case given > 1:
		bad("metadata_url", "want one of metadata_url, metadata_file and sso_url")
	case p.MetadataURL != "":
		if err := checkURL(p.MetadataURL); err != nil {
			bad("metadata_url", "%v", err)
		}
	case p.MetadataFile != "":
		if _, err := p.fromFile(); err != nil {
			bad("metadata_file", "%v; download it again at the provider", err)
		}
	case p.SSOURL == "":
		bad("metadata_url", "is missing; set it, or metadata_file, or sso_url with entity_id and certificates")
	default:
		p.validateSettings(bad)
	}
	if _, err := p.authorities(); err != nil {
		bad("ca_file", "%v", err)
	}
}

// validateSettings checks the keys that describe a provider without metadata.
func (p providerConfig) validateSettings(bad report) {
	if err := checkURL(p.SSOURL); err != nil {
		bad("sso_url", "%v", err)
	}
	if p.SLOURL != "" {
		if err := checkURL(p.SLOURL); err != nil {
			bad("slo_url", "%v", err)
		}
	}
	if p.EntityID == "" {
		bad("entity_id", "is missing; the provider shows it next to sso_url, often as issuer")
	}
	if len(p.Certificates) == 0 {
		bad("certificates", "is missing; without the provider's certificate nobody knows who signed an answer")
	}
	for i, one := range p.Certificates {
		if _, err := readCertificates(one); err != nil {
			bad(fmt.Sprintf("certificates.%d", i), "%v", err)
		}
	}
}

// validateKeys checks the server's own key.
func (p providerConfig) validateKeys(bad report) {
	if p.Key != "" && p.KeyFile != "" {
		bad("key_file", "key is set as well; remove one of them")
		return
	}
	own, err := p.own()
	switch {
	case err != nil:
		bad(err.key, "%v", err.error)
	case own.key == nil && p.SignRequests:
		bad("key_file", "is missing; sign_requests needs it, and certificate_file")
	}
}

// roles are the roles that roles_map can name.
var roles = map[string]user.Role{
	"owner": user.Owner, "admin": user.Admin, "moderator": user.Moderator, "member": user.Member, "guest": user.Guest,
}

// checkURL requires https, except for providers on the same machine.
func checkURL(text string) error {
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Host == "" || u.Fragment != "" || u.User != nil:
		return errors.New("want a URL such as https://id.example.com/saml")
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
	set(&p.Name, at.name, p.ID)
	set(&p.SubjectAttribute, at.subject)
	set(&p.EmailAttribute, at.email, "email")
	set(&p.GroupsAttribute, at.groups, "groups")
	if p.NameIDFormat == "" && p.SubjectAttribute != "" {
		p.NameIDFormat = "unspecified"
	}
	set(&p.NameIDFormat, "persistent")
	if len(p.NameAttributes) == 0 && at.displayName != "" {
		p.NameAttributes = []string{at.displayName}
	}
	if len(p.NameAttributes) == 0 {
		p.NameAttributes = []string{"name"}
	}
	if p.ClockSkew == 0 {
		p.ClockSkew = time.Minute
	}
	if p.Timeout == 0 {
		p.Timeout = timeout
	}
	return p
}

// assertionsSigned reports whether assertions must be signed themselves.
func (p providerConfig) assertionsSigned() bool {
	return p.AssertionsSigned == nil || *p.AssertionsSigned
}
