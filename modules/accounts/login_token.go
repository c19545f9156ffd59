package accounts

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
)

// maxToken is the maximum length of a login token in bytes.
const maxToken = 8 << 10

// minSecret is the minimum length of an HMAC secret in bytes; see RFC 7518, section 3.2.
const minSecret = 32

// tokenLife is how long before its expiry a token may be used.
const tokenLife = 5 * time.Minute

// tokens verifies the tokens of POST /jwt/fetch_api_key. The zero value accepts none.
type tokens struct {
	key              any // []byte or a public key
	algorithms       []string
	realm            string // the organization's string ID
	audience, issuer string
}

// newTokens parses the key: a secret for HS algorithms, a public key in PEM for others. All algorithms must belong to
// the same family, so that a public key is never used as a secret.
func newTokens(c Config) (tokens, error) {
	key, algorithms := string(c.JWTKey), c.JWTAlgorithms
	if key == "" {
		return tokens{}, nil
	}
	family, err := familyOf(algorithms)
	if err != nil {
		return tokens{}, err
	}
	t := tokens{algorithms: algorithms, realm: c.JWTRealm, audience: c.JWTAudience, issuer: c.JWTIssuer}
	switch family {
	case "HS":
		if len(key) < minSecret {
			return tokens{}, fmt.Errorf("jwt_key: want at least %d bytes", minSecret)
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
		return tokens{}, errors.New("jwt_key: want a public key in PEM for these algorithms")
	case t.audience == "":
		return tokens{}, errors.New("jwt_audience: is empty; name the audience of tokens for this server, since the " +
			"owner of the key in jwt_key may also sign tokens for others")
	case t.issuer == "":
		return tokens{}, errors.New("jwt_issuer: is empty; name the issuer of the tokens, as in their claim iss")
	}
	return t, nil
}

// familyOf returns the type of key that all algorithms use: HS, RS, ES or Ed.
func familyOf(algorithms []string) (string, error) {
	if len(algorithms) == 0 {
		return "", errors.New("jwt_algorithms: want at least one")
	}
	family := ""
	for _, a := range algorithms {
		if jwt.GetSigningMethod(a) == nil || a == "none" {
			return "", fmt.Errorf("jwt_algorithms: %q is unknown", a)
		}
		f := a[:2]
		if f == "PS" { // PS algorithms use the same keys as RS
			f = "RS"
		}
		if family != "" && f != family {
			return "", errors.New("jwt_algorithms: want algorithms for one type of key")
		}
		family = f
	}
	return family, nil
}

// verify verifies a token's signature, header and claims, and returns the claims.
func (t *tokens) verify(token string, now time.Time) (*claims, error) {
	options := []jwt.ParserOption{
		jwt.WithValidMethods(t.algorithms), jwt.WithTimeFunc(func() time.Time { return now }), jwt.WithExpirationRequired(),
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
		return nil, err
	}
	_, critical := parsed.Header["crit"]
	switch {
	case critical: // RFC 7515, section 4.1.11: no extension is supported
		return nil, errors.New("the header crit names extensions")
	case c.ExpiresAt.After(now.Add(tokenLife)):
		return nil, fmt.Errorf("the claim exp is more than %v ahead", tokenLife)
	case t.audience == "" && len(c.Audience) > 0: // RFC 7519, section 4.1.3
		return nil, errors.New("the claim aud names an audience, but jwt_audience is empty")
	}
	return &c, nil
}

type claims struct {
	Email string `json:"email"`
	jwt.RegisteredClaims
}

// emailOf verifies a token for a login to an organization and returns the email address in it. Errors: BadRequest.
func (s *service) emailOf(r *realm.Realm, token string) (string, error) {
	switch {
	case s.tokens.key == nil || r == nil || r.StringID != s.tokens.realm:
		return "", errs.Bad("JWT authentication is not enabled for this organization")
	case token == "":
		return "", errs.Bad("No JSON web token passed in request")
	case len(token) > maxToken:
		return "", errs.Bad("Bad JSON web token")
	}
	c, err := s.tokens.verify(token, s.Clock.Now())
	if err != nil {
		return "", errs.Bad("Bad JSON web token").Because(err)
	}
	if strings.TrimSpace(c.Email) == "" {
		return "", errs.Bad("No email specified in JSON web token claims")
	}
	return strings.TrimSpace(c.Email), nil
}

type tokenReq struct {
	Token   string `json:"token" default:""`
	Profile bool   `json:"include_profile" default:"false"`
}

type tokenRes struct {
	Key   string  `json:"api_key"`
	Email string  `json:"email"` // the delivery address
	User  *person `json:"user,omitempty"`
}

// fetchKeyByToken handles POST /jwt/fetch_api_key. It creates no accounts and ignores the organization's password
// settings. Errors: BadRequest, AuthenticationFailed, UserDeactivated.
func (s *service) fetchKeyByToken(ctx context.Context, a kit.Actor, in tokenReq) (tokenRes, error) {
	at, err := s.Directory.View(ctx, a.Realm)
	if err != nil {
		return tokenRes{}, err
	}
	email, err := s.emailOf(at.Realm(), in.Token)
	if err != nil {
		return tokenRes{}, err
	}
	return kit.Tx(ctx, s.Work, func(ctx context.Context) (tokenRes, error) {
		v, err := s.Directory.View(ctx, a.Realm)
		if err != nil {
			return tokenRes{}, err
		}
		u := v.UserByEmail(email)
		switch {
		case u == nil || u.IsBot() || u.System:
			return tokenRes{}, errs.New(errs.AuthenticationFailed, "Your username or password is incorrect")
		case !u.Active:
			return tokenRes{}, user.LoginDeactivated()
		}
		out := tokenRes{Email: u.DeliveryEmail}
		if in.Profile {
			p := record(v, u, u, format{active: true})
			out.User = &p
		}
		out.Key, err = s.IssueKey(ctx, a, u.ID)
		return out, err
	})
}
