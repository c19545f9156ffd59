package jwtlogin_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/modules/jwtlogin"
	"github.com/stoachat/stoa/modules/kit"
)

const jwtSecret = "0123456789abcdef0123456789abcdef"

func token(t *testing.T, m jwt.SigningMethod, key any, claims jwt.MapClaims) string {
	t.Helper()
	text, err := jwt.NewWithClaims(m, claims).SignedString(key)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestFetchKeyByToken(t *testing.T) {
	s := start(t, "", "key: "+jwtSecret)
	fetch := func(token string, more ...string) *kittest.Response {
		return s.Anonymous().Do("POST /jwt/fetch_api_key", append([]string{"token", token}, more...)...)
	}
	sign := func(claims jwt.MapClaims) string { return token(t, jwt.SigningMethodHS256, []byte(jwtSecret), claims) }
	now := s.Clock.Now().Unix()
	alice := func(more jwt.MapClaims) jwt.MapClaims {
		c := jwt.MapClaims{"email": "Alice@example.com", "exp": now + 300}
		maps.Copy(c, more)
		return c
	}
	good := sign(alice(nil))
	changed := good[:len(good)-1] + map[bool]string{true: "A", false: "Q"}[good[len(good)-1] != 'A']
	a := fetch(good).Is(200, `{"result":"success","msg":"","api_key":"*","email":"alice@example.com"}`)
	s.Events(`user/keys nobody {}`)
	s.WithKey("alice@example.com", a.String("api_key")).Do("GET /users/me").OK()
	fetch(good).Error(400, "BAD_REQUEST", "Bad JSON web token") // used
	a = fetch(sign(alice(jwt.MapClaims{"exp": now + 299})), "include_profile", "true").OK()
	if a.Int("user.user_id") != int64(s.UserID("alice")) || a.String("user.delivery_email") != "alice@example.com" ||
		a.Has("user.profile_data") {
		t.Errorf("profile: %s", a.Body)
	}

	s.Skip()
	fetch(sign(alice(jwt.MapClaims{"exp": now + 1, "iss": "any"}))).OK()
	s.Skip()
	none := token(t, jwt.SigningMethodNone, jwt.UnsafeAllowNoneSignatureType, alice(nil))
	critical := jwt.NewWithClaims(jwt.SigningMethodHS256, alice(nil))
	critical.Header["crit"] = []string{"exp"}
	extended, err := critical.SignedString([]byte(jwtSecret))
	if err != nil {
		t.Fatal(err)
	}
	for text, msg := range map[string]string{
		"": "No JSON web token passed in request", "x": "Bad JSON web token", none: "Bad JSON web token",
		changed:                     "Bad JSON web token",
		strings.Repeat("x", 10_000): "Bad JSON web token",
		token(t, jwt.SigningMethodHS384, []byte(jwtSecret), alice(nil)):         "Bad JSON web token",
		token(t, jwt.SigningMethodHS256, []byte("other"+jwtSecret), alice(nil)): "Bad JSON web token",
		extended: "Bad JSON web token",
		sign(jwt.MapClaims{"email": "alice@example.com"}):   "Bad JSON web token",
		sign(alice(jwt.MapClaims{"exp": now - 60})):         "Bad JSON web token",
		sign(alice(jwt.MapClaims{"exp": now})):              "Bad JSON web token",
		sign(alice(jwt.MapClaims{"exp": now + 301})):        "Bad JSON web token",
		sign(alice(jwt.MapClaims{"iat": now + 61})):         "Bad JSON web token",
		sign(alice(jwt.MapClaims{"nbf": now + 60})):         "Bad JSON web token",
		sign(alice(jwt.MapClaims{"aud": "other"})):          "Bad JSON web token",
		sign(alice(jwt.MapClaims{"email": 5})):              "Bad JSON web token",
		sign(jwt.MapClaims{"sub": "alice", "exp": now + 9}): "No email specified in JSON web token claims",
	} {
		fetch(text).Error(400, "BAD_REQUEST", msg)
	}
	s.Anonymous().Do("POST /jwt/fetch_api_key").Error(400, "BAD_REQUEST", "No JSON web token passed in request")
	fetch(sign(alice(jwt.MapClaims{"email": "nobody@example.com"}))).Error(401, "AUTHENTICATION_FAILED", "")
	fetch(sign(alice(jwt.MapClaims{"email": s.As("bot").Email()}))).Error(401, "AUTHENTICATION_FAILED", "")
	s.NoEvents()
	s.As("olga").Do(fmt.Sprintf("DELETE /users/%d", s.UserID("bob"))).OK()
	s.Skip()
	fetch(sign(alice(jwt.MapClaims{"email": "bob@example.com"}))).Error(401, "USER_DEACTIVATED", "Account is deactivated")
	s.NoEvents()
}

// TestTokenRealm checks that a token logs in to one organization only, also if another one has the same address.
func TestTokenRealm(t *testing.T) {
	for name, status := range map[string]int{"": 200, "other": 400} {
		s := start(t, "", "key: "+jwtSecret, "realm: '"+name+"'")
		claims := jwt.MapClaims{"email": "alice@example.com", "exp": s.Clock.Now().Unix() + 60}
		a := s.Anonymous().Do("POST /jwt/fetch_api_key", "token",
			token(t, jwt.SigningMethodHS256, []byte(jwtSecret), claims))
		if a.Status != status || status == 400 && !strings.Contains(a.Body, "not enabled for this organization") {
			t.Errorf("%q: %d %s", name, a.Status, a.Body)
		}
	}
}

func TestTokenKeys(t *testing.T) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
	if err != nil {
		t.Fatal(err)
	}
	public, _ := json.Marshal(string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})))
	s := start(t, "", "algorithms: [ES256], audience: chat, issuer: idp, key: "+string(public))
	now := s.Clock.Now()
	for _, c := range []struct {
		audience any
		issuer   string
		status   int
	}{
		{"chat", "idp", 200}, {[]string{"other", "chat"}, "idp", 200}, {"other", "idp", 400}, {nil, "idp", 400},
		{"chat", "other", 400}, {"chat", "", 400},
	} {
		claims := jwt.MapClaims{
			"email": "alice@example.com", "nbf": now.Add(-time.Minute).Unix(), "exp": now.Add(time.Minute).Unix(),
		}
		if c.audience != nil {
			claims["aud"] = c.audience
		}
		if c.issuer != "" {
			claims["iss"] = c.issuer
		}
		a := s.Anonymous().Do("POST /jwt/fetch_api_key", "token", token(t, jwt.SigningMethodES256, key, claims))
		if a.Status != c.status {
			t.Errorf("aud %v, iss %s: %d %s", c.audience, c.issuer, a.Status, a.Body)
		}
	}

	pemKey := kit.Secret(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der}))
	for want, c := range map[string]jwtlogin.Config{
		"key: want at least":  {Key: "short", Algorithms: []string{"HS256"}},
		"algorithms: want at": {Key: jwtSecret},
		`"none" is unknown`:   {Key: jwtSecret, Algorithms: []string{"none"}},
		"one type of key":     {Key: jwtSecret, Algorithms: []string{"HS256", "RS256"}},
		"public key in PEM":   {Key: jwtSecret, Algorithms: []string{"RS256"}},
		"issuer: is empty":    {Key: pemKey, Algorithms: []string{"ES256"}, Audience: "chat"},
		"audience: is empty":  {Key: pemKey, Algorithms: []string{"ES256"}, Issuer: "idp"},
		"key_file: key is":    {Key: jwtSecret, KeyFile: "/key", Algorithms: []string{"HS256"}},
		"key_file: open":      {KeyFile: "/nowhere", Algorithms: []string{"HS256"}},
	} {
		if err := c.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
	kittest.Start(t, append(others, jwtlogin.Module)...).Anonymous().
		Do("POST /jwt/fetch_api_key", "token", "x").Error(400, "BAD_REQUEST", "JWT authentication is not enabled")
}
