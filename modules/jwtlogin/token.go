package jwtlogin

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/stoachat/stoa/domain/session"
	"github.com/stoachat/stoa/domain/user"
)

// maxToken is the maximum length of a login token in bytes.
const maxToken = 8 << 10

// minSecret is the minimum length of an HMAC secret in bytes; see RFC 7518, section 3.2.
const minSecret = 32

// tokenLife is how long before its expiry a token may be used.
const tokenLife = 5 * time.Minute

// clockSkew is how far ahead the issuer's clock may be.
const clockSkew = time.Minute

// tokens verifies login tokens.
type tokens struct {
	key              any // []byte or a public key
	algorithms       []string
	audience, issuer string
}

// newTokens parses the key: a secret for HS algorithms, a public key in PEM for others. All algorithms must belong to
// the same family, so that a public key is never used as a secret.
func newTokens(c Config) (tokens, error) {
	key, err := c.Key.OrFile(c.KeyFile)
	if err != nil {
		return tokens{}, fmt.Errorf("key_file: %w", err)
	}
	family, err := familyOf(c.Algorithms)
	if err != nil {
		return tokens{}, err
	}
	t := tokens{algorithms: c.Algorithms, audience: c.Audience, issuer: c.Issuer}
	switch family {
	case "HS":
		if len(key) < minSecret {
			return tokens{}, fmt.Errorf("key: want at least %d bytes", minSecret)
		}
		t.key = []byte(key)
		return t, nil
	case "RS":
		t.key, err = jwt.ParseRSAPublicKeyFromPEM([]byte(key))
	case "ES":
		t.key, err = jwt.ParseECPublicKeyFromPEM([]byte(key))
	default:
		t.key, err = jwt.ParseEdPublicKeyFromPEM([]byte(key))
	}
	switch {
	case err != nil:
		return tokens{}, errors.New("key: want a public key in PEM for these algorithms")
	case t.audience == "":
		return tokens{}, errors.New("audience: is empty; name the audience of tokens for this server, since the owner of " +
			"the key may also sign tokens for others")
	case t.issuer == "":
		return tokens{}, errors.New("issuer: is empty; name the issuer of the tokens, as in their claim iss")
	}
	return t, nil
}

// familyOf returns the type of key that all algorithms use: HS, RS, ES or Ed.
func familyOf(algorithms []string) (string, error) {
	if len(algorithms) == 0 {
		return "", errors.New("algorithms: want at least one")
	}
	family := ""
	for _, a := range algorithms {
		if jwt.GetSigningMethod(a) == nil || a == "none" {
			return "", fmt.Errorf("algorithms: %q is unknown", a)
		}
		f := a[:2]
		if f == "PS" { // PS algorithms use the same keys as RS
			f = "RS"
		}
		if family != "" && f != family {
			return "", errors.New("algorithms: want algorithms for one type of key")
		}
		family = f
	}
	return family, nil
}

// verified is what a token says.
type verified struct {
	email string
	name  string // "": unknown
	hash  string // identifies the token, which counts once
	ends  time.Time
}

type claims struct {
	jwt.RegisteredClaims

	Email string `json:"email"`
	Name  string `json:"name"`
}

// errNoEmail is the error for tokens without an email address.
var errNoEmail = errors.New("the token contains no claim email")

// verify verifies a token's signature, header and claims, and returns what it says. Errors: why it is not valid.
func (t *tokens) verify(token string, now time.Time) (verified, error) {
	if len(token) > maxToken {
		return verified{}, fmt.Errorf("the token is longer than %d bytes", maxToken)
	}
	options := []jwt.ParserOption{
		jwt.WithValidMethods(t.algorithms), jwt.WithTimeFunc(func() time.Time { return now }), jwt.WithExpirationRequired(),
		jwt.WithStrictDecoding(),
	}
	if t.audience != "" {
		options = append(options, jwt.WithAudience(t.audience))
	}
	if t.issuer != "" {
		options = append(options, jwt.WithIssuer(t.issuer))
	}
	var c claims
	key := func(*jwt.Token) (any, error) { return t.key, nil }
	parsed, err := jwt.NewParser(options...).ParseWithClaims(token, &c, key)
	if err != nil {
		return verified{}, err
	}
	_, critical := parsed.Header["crit"]
	switch {
	case critical: // RFC 7515, section 4.1.11: no extension is supported
		return verified{}, errors.New("the header crit names extensions")
	case c.ExpiresAt.After(now.Add(tokenLife)):
		return verified{}, fmt.Errorf("the claim exp is more than %v ahead", tokenLife)
	case c.IssuedAt != nil && c.IssuedAt.After(now.Add(clockSkew)):
		return verified{}, errors.New("the claim iat is in the future; compare the clocks")
	case t.audience == "" && len(c.Audience) > 0: // RFC 7519, section 4.1.3
		return verified{}, errors.New("the claim aud names an audience, but the configuration names none")
	}
	out := verified{name: c.Name, hash: session.Hash("id " + c.ID), ends: c.ExpiresAt.Time}
	if c.ID == "" { // what is signed identifies a token as well; signatures of the same can differ
		out.hash = session.Hash("text " + token[:strings.LastIndexByte(token, '.')])
	}
	if out.email, err = user.CheckEmail(strings.TrimSpace(c.Email)); err != nil {
		return verified{}, errNoEmail
	}
	return out, nil
}
