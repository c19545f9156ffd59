package accounts

import (
	"context"
	"crypto"
	"errors"
	"fmt"
	"strings"

	"github.com/golang-jwt/jwt/v5"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
)

// maxToken is the maximum length of a login token in bytes.
const maxToken = 8 << 10

// minSecret is the minimum length of an HMAC secret in bytes; see RFC 7518, section 3.2.
const minSecret = 32

// tokens verifies the tokens of POST /jwt/fetch_api_key. The zero value accepts none.
type tokens struct {
	key        any // []byte or a public key
	algorithms []string
}

// newTokens parses key: a secret for HS algorithms, a public key in PEM for others. All algorithms must belong to the
// same family, so that a public key is never used as a secret.
func newTokens(key string, algorithms []string) (tokens, error) {
	if key == "" {
		return tokens{}, nil
	}
	if len(algorithms) == 0 {
		return tokens{}, errors.New("jwt_algorithms: want at least one")
	}
	family := ""
	for _, a := range algorithms {
		if jwt.GetSigningMethod(a) == nil || a == "none" {
			return tokens{}, fmt.Errorf("jwt_algorithms: %q is unknown", a)
		}
		f := a[:2]
		if f == "PS" { // PS algorithms use the same keys as RS
			f = "RS"
		}
		if family != "" && f != family {
			return tokens{}, errors.New("jwt_algorithms: want algorithms for one type of key")
		}
		family = f
	}
	var public crypto.PublicKey
	var err error
	switch family {
	case "HS":
		if len(key) < minSecret {
			return tokens{}, fmt.Errorf("jwt_key: want at least %d bytes", minSecret)
		}
		return tokens{[]byte(key), algorithms}, nil
	case "RS":
		public, err = jwt.ParseRSAPublicKeyFromPEM([]byte(key))
	case "ES":
		public, err = jwt.ParseECPublicKeyFromPEM([]byte(key))
	default:
		public, err = jwt.ParseEdPublicKeyFromPEM([]byte(key))
	}
	if err != nil {
		return tokens{}, errors.New("jwt_key: want a public key in PEM for these algorithms")
	}
	return tokens{public, algorithms}, nil
}

type claims struct {
	Email string `json:"email"`
	jwt.RegisteredClaims
}

// emailOf verifies a token and returns the email address in it. Errors: BadRequest.
func (s *service) emailOf(token string) (string, error) {
	switch {
	case s.tokens.key == nil:
		return "", errs.Bad("JWT authentication is not enabled for this organization")
	case token == "":
		return "", errs.Bad("No JSON web token passed in request")
	case len(token) > maxToken:
		return "", errs.Bad("Bad JSON web token")
	}
	var c claims
	_, err := jwt.NewParser(jwt.WithValidMethods(s.tokens.algorithms), jwt.WithTimeFunc(s.Clock.Now)).
		ParseWithClaims(token, &c, func(*jwt.Token) (any, error) { return s.tokens.key, nil })
	if err != nil {
		return "", errs.Bad("Bad JSON web token")
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
	email, err := s.emailOf(in.Token)
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
