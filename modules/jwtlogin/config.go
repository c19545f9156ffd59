package jwtlogin

import (
	"errors"

	"github.com/stoachat/stoa/modules/kit"
)

// Config is the configuration of the module. Without a key, nobody can log in with a token.
type Config struct {
	// secret for HS algorithms, otherwise a public key in PEM. Tokens must have a claim exp at most 5 minutes ahead, and
	// no header crit
	Key        kit.Secret `yaml:"key"`
	KeyFile    string     `yaml:"key_file"`   // file that contains the key, instead of key
	Algorithms []string   `yaml:"algorithms"` // accepted signature algorithms, all for the same type of key
	// subdomain of the only organization to which tokens log in; empty: the root organization
	Realm string `yaml:"realm"`
	// what the claim aud must contain; required with a public key, because its owner also signs tokens for others; empty:
	// tokens with an audience are refused
	Audience string `yaml:"audience"`
	// what the claim iss must be; required with a public key; empty: any
	Issuer string `yaml:"issuer"`

	Name       string `yaml:"display_name"` // of the site that issues the tokens, as people know it
	AutoSignUp bool   `yaml:"auto_signup"`  // people without an account get one even if it needs an invitation
}

func (c Config) enabled() bool { return c.Key != "" || c.KeyFile != "" }

// Validate checks the configuration.
func (c Config) Validate() error {
	switch {
	case !c.enabled():
		return nil
	case c.Key != "" && c.KeyFile != "":
		return errors.New("key_file: key is set as well; remove one of them")
	}
	_, err := newTokens(c)
	return err
}
