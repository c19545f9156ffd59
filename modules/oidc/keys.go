package oidc

import (
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"golang.org/x/oauth2"
)

// assertionLife is how long a signed statement of who the server is counts.
const assertionLife = time.Minute

// clientKey is a private key with which the server signs who it is.
type clientKey struct {
	private crypto.PrivateKey
	method  jwt.SigningMethod
}

// checkKey returns what is wrong with the key file.
func (p providerConfig) checkKey() error {
	_, err := p.key()
	return err
}

// key returns the private key; nil: none is configured.
func (p providerConfig) key() (*clientKey, error) {
	if p.ClientKeyFile == "" {
		return nil, nil
	}
	text, err := os.ReadFile(p.ClientKeyFile)
	if err != nil {
		return nil, err
	}
	private, err := parseKey(text)
	if err != nil {
		return nil, err
	}
	var method jwt.SigningMethod = jwt.SigningMethodRS256
	switch k := private.(type) {
	case *ecdsa.PrivateKey:
		switch k.Params().BitSize {
		case 256:
			method = jwt.SigningMethodES256
		case 384:
			method = jwt.SigningMethodES384
		case 521:
			method = jwt.SigningMethodES512
		default:
			return nil, errors.New("contains a key for a curve that is not supported; want P-256")
		}
	case *rsa.PrivateKey:
		if k.N.BitLen() < 2048 {
			return nil, errors.New("contains a short RSA key; want 2048 bits or more")
		}
	case ed25519.PrivateKey:
		method = jwt.SigningMethodEdDSA
	default:
		return nil, errors.New("contains a key of a type that is not supported; want one for the curve P-256")
	}
	if p.Preset == "apple" && method != jwt.SigningMethodES256 {
		return nil, errors.New("want the key that Apple issued, for the curve P-256")
	}
	return &clientKey{private, method}, nil
}

// parseKey returns a private key in PEM.
func parseKey(text []byte) (crypto.PrivateKey, error) {
	block, _ := pem.Decode(text)
	if block == nil {
		return nil, errors.New("contains no private key in PEM")
	}
	if key, err := x509.ParsePKCS8PrivateKey(block.Bytes); err == nil {
		return key, nil
	}
	if key, err := x509.ParseECPrivateKey(block.Bytes); err == nil {
		return key, nil
	}
	key, err := x509.ParsePKCS1PrivateKey(block.Bytes)
	if err != nil {
		return nil, errors.New("contains no private key in PEM without a password")
	}
	return key, nil
}

// sign returns a signed statement of who the server is, for an audience.
func (p *provider) sign(issuer, audience string) (string, error) {
	now := p.clock.Now()
	id := make([]byte, 16)
	_, _ = rand.Read(id) // never fails
	t := jwt.NewWithClaims(p.key.method, jwt.MapClaims{
		"iss": issuer, "sub": p.ClientID, "aud": audience, "jti": base64.RawURLEncoding.EncodeToString(id),
		"iat": now.Unix(), "exp": now.Add(assertionLife).Unix(),
	})
	if p.ClientKeyID != "" {
		t.Header["kid"] = p.ClientKeyID
	}
	return t.SignedString(p.key.private)
}

// authenticate prepares a client for a request of the server to the provider, and returns the parameters that say who
// it is: with Apple a secret that the key has signed, otherwise RFC 7523, section 2.2.
func (p *provider) authenticate(c *oauth2.Config, m *metadata) ([]oauth2.AuthCodeOption, error) {
	if p.key == nil {
		return nil, nil
	}
	c.Endpoint.AuthStyle = oauth2.AuthStyleInParams
	if p.Preset == "apple" {
		var err error
		c.ClientSecret, err = p.sign(p.TeamID, p.Issuer)
		return nil, err
	}
	signed, err := p.sign(p.ClientID, m.Endpoint().TokenURL)
	return []oauth2.AuthCodeOption{
		oauth2.SetAuthURLParam("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"),
		oauth2.SetAuthURLParam("client_assertion", signed),
	}, err
}

// requestURL returns the address at the provider with the request of a login. If the provider offers it, the request is
// sent to it first, so that the browser cannot change it; see RFC 9126.
func (p *provider) requestURL(
	ctx context.Context, m *metadata, c *oauth2.Config, state string, options []oauth2.AuthCodeOption,
) (string, error) {
	if m.Pushed == "" || p.PushedRequests != nil && !*p.PushedRequests {
		return c.AuthCodeURL(state, options...), nil
	}
	authentication, err := p.authenticate(c, m)
	if err != nil {
		return "", err
	}
	full, err := url.Parse(c.AuthCodeURL(state, append(options, authentication...)...))
	if err != nil {
		return "", err
	}
	form := full.Query()
	basic := p.key == nil && (len(m.Authentication) == 0 || slices.Contains(m.Authentication, "client_secret_basic"))
	if c.ClientSecret != "" && !basic {
		form.Set("client_secret", c.ClientSecret)
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, m.Pushed, strings.NewReader(form.Encode()))
	if err != nil {
		return "", err
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if basic {
		r.SetBasicAuth(url.QueryEscape(c.ClientID), url.QueryEscape(c.ClientSecret))
	}
	res, err := p.http.Do(r) //nolint:gosec // the address is one that the configured provider names
	if err != nil {
		return "", err
	}
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		return "", err
	}
	var pushed struct {
		URI   string `json:"request_uri"`
		Error string `json:"error"`
	}
	if err := json.Unmarshal(body, &pushed); err != nil || pushed.URI == "" ||
		res.StatusCode != http.StatusCreated && res.StatusCode != http.StatusOK {
		return "", fmt.Errorf("the provider does not take the pushed request: status %d %s", res.StatusCode,
			printable(pushed.Error))
	}
	to, err := url.Parse(c.Endpoint.AuthURL)
	if err != nil {
		return "", err
	}
	query := to.Query()
	query.Set("client_id", c.ClientID)
	query.Set("request_uri", pushed.URI)
	to.RawQuery = query.Encode()
	return to.String(), nil
}

// appleName returns the name in the parameter user, which Apple sends with the first login only. It is not signed, and
// only names a new account.
func appleName(text string) string {
	var sent struct {
		Name struct {
			First string `json:"firstName"`
			Last  string `json:"lastName"`
		} `json:"name"`
	}
	if len(text) > maxAppleUser || json.Unmarshal([]byte(text), &sent) != nil {
		return ""
	}
	return strings.TrimSpace(sent.Name.First + " " + sent.Name.Last)
}

// maxAppleUser is the maximum length in bytes of what Apple sends about a person.
const maxAppleUser = 4 << 10
