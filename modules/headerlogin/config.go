package headerlogin

import (
	"errors"
	"fmt"
	"net/netip"
	"regexp"
	"strings"

	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
)

// Config is the configuration of the module. Without trusted proxies, the module does nothing.
type Config struct {
	// addresses or networks of the reverse proxies that authenticate people
	TrustedProxies []string   `yaml:"trusted_proxies"`
	Secret         kit.Secret `yaml:"secret"`        // sent by those proxies in proof_header; at least 16 characters
	SecretFile     string     `yaml:"secret_file"`   // file that contains the secret, instead of secret
	Header         string     `yaml:"header"`        // contains the user's name, or email address
	ProofHeader    string     `yaml:"proof_header"`  // contains the secret
	NameHeader     string     `yaml:"name_header"`   // contains the full name of people who get an account; "": none does
	AppendDomain   string     `yaml:"append_domain"` // makes names addresses: ada becomes ada@example.com

	Name       string `yaml:"display_name"` // on the button of the login page
	Icon       string `yaml:"icon"`         // URL of the button's picture, for apps
	Realm      string `yaml:"realm"`        // string ID of the only organization that may use it; "": all of this server
	AutoSignUp bool   `yaml:"auto_signup"`  // people without an account get one even if it needs an invitation
	// connects people to the account with their address without asking for its password
	AutoLink bool `yaml:"auto_link_verified"`
}

// minSecret is the minimum length of a secret in bytes.
const minSecret = 16

var validHeader = regexp.MustCompile(`^[A-Za-z0-9-]{1,64}$`)

// Validate checks the configuration.
func (c Config) Validate() error {
	if len(c.TrustedProxies) == 0 {
		return nil
	}
	var all []error
	if _, err := c.proxies(); err != nil {
		all = append(all, err)
	}
	switch secret, err := c.secret(); {
	case err != nil:
		all = append(all, fmt.Errorf("secret_file: %w", err))
	case c.Secret != "" && c.SecretFile != "":
		all = append(all, errors.New("secret_file: secret is set as well; remove one of them"))
	case len(secret) < minSecret:
		all = append(all, fmt.Errorf("secret: want at least %d characters, which the proxy sends in %s, since others may "+
			"reach the server from the same address", minSecret, c.ProofHeader))
	}
	for key, name := range map[string]string{"header": c.Header, "proof_header": c.ProofHeader} {
		if !validHeader.MatchString(name) {
			all = append(all, fmt.Errorf("%s: want the name of a header, such as X-Remote-User", key))
		}
	}
	if c.NameHeader != "" && !validHeader.MatchString(c.NameHeader) {
		all = append(all, errors.New("name_header: want the name of a header, or none"))
	}
	if strings.EqualFold(c.Header, c.ProofHeader) {
		all = append(all, errors.New("proof_header: is the same as header"))
	}
	if c.AppendDomain != "" {
		if _, err := user.CheckEmail("ada@" + c.AppendDomain); err != nil {
			all = append(all, errors.New("append_domain: want a domain, such as example.com"))
		}
	}
	return errors.Join(all...)
}

// proxies returns the networks of the trusted proxies.
func (c Config) proxies() ([]netip.Prefix, error) {
	var all []netip.Prefix
	for _, text := range c.TrustedProxies {
		p, err := netip.ParsePrefix(text)
		if err != nil {
			a, err := netip.ParseAddr(text)
			if err != nil {
				return nil, fmt.Errorf("trusted_proxies: %q is neither an address nor a network such as 10.0.0.0/8", text)
			}
			p = netip.PrefixFrom(a, a.BitLen())
		}
		all = append(all, p.Masked())
	}
	return all, nil
}

func (c Config) secret() (string, error) { return c.Secret.OrFile(c.SecretFile) }
