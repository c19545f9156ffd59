package accounts_test

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
	"github.com/stoachat/stoa/modules/accounts"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/realm"
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
	s := kittest.StartWith(
		t,
		kittest.Options{Config: "modules: {accounts: {jwt_key: " + jwtSecret + "}}"},
		realm.Module,
		accounts.Module,
	)
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
	a := fetch(good).Is(200, `{"result":"success","msg":"","api_key":"*","email":"alice@example.com"}`)
	s.Events(`user/keys nobody {}`)
	s.WithKey("alice@example.com", a.String("api_key")).Do("GET /users/me").OK()
	a = fetch(good, "include_profile", "true").OK()
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
		good + "x":                  "Bad JSON web token",
		strings.Repeat("x", 10_000): "Bad JSON web token",
		token(t, jwt.SigningMethodHS384, []byte(jwtSecret), alice(nil)):         "Bad JSON web token",
		token(t, jwt.SigningMethodHS256, []byte("other"+jwtSecret), alice(nil)): "Bad JSON web token",
		extended: "Bad JSON web token",
		sign(jwt.MapClaims{"email": "alice@example.com"}):   "Bad JSON web token",
		sign(alice(jwt.MapClaims{"exp": now - 60})):         "Bad JSON web token",
		sign(alice(jwt.MapClaims{"exp": now})):              "Bad JSON web token",
		sign(alice(jwt.MapClaims{"exp": now + 301})):        "Bad JSON web token",
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
		s := kittest.StartWith(
			t,
			kittest.Options{Config: "modules: {accounts: {jwt_key: " + jwtSecret + ", jwt_realm: '" + name + "'}}"},
			realm.Module,
			accounts.Module,
		)
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
	s := kittest.StartWith(
		t,
		kittest.Options{Config: "modules: {accounts: {jwt_algorithms: [ES256], jwt_audience: chat, jwt_issuer: idp, " +
			"jwt_key: " + string(public) + "}}"},
		realm.Module,
		accounts.Module,
	)
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
	for _, c := range []accounts.Config{
		{JWTKey: "short", JWTAlgorithms: []string{"HS256"}}, {JWTKey: jwtSecret},
		{JWTKey: jwtSecret, JWTAlgorithms: []string{"none"}},
		{JWTKey: jwtSecret, JWTAlgorithms: []string{"HS256", "RS256"}}, {JWTKey: jwtSecret, JWTAlgorithms: []string{"RS256"}},
		{JWTKey: pemKey, JWTAlgorithms: []string{"ES256"}, JWTAudience: "chat"},
		{JWTKey: pemKey, JWTAlgorithms: []string{"ES256"}, JWTIssuer: "idp"},
	} {
		c.PasswordMemoryKiB, c.PasswordPasses, c.PasswordsAtOnce, c.MaxKeys = 8, 1, 1, 1
		if c.Validate() == nil {
			t.Errorf("%v is accepted", c.JWTAlgorithms)
		}
	}
	plain := kittest.Start(t, realm.Module, accounts.Module)
	plain.Anonymous().
		Do("POST /jwt/fetch_api_key", "token", "x").
		Error(400, "BAD_REQUEST", "JWT authentication is not enabled")
}
