package accounts_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/modules/accounts"
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
	fetch := func(token string, more ...string) *kittest.Answer {
		return s.Anonymous().Do("POST /jwt/fetch_api_key", append([]string{"token", token}, more...)...)
	}
	sign := func(claims jwt.MapClaims) string { return token(t, jwt.SigningMethodHS256, []byte(jwtSecret), claims) }
	good := sign(jwt.MapClaims{"email": "Alice@example.com"})
	a := fetch(good).Is(200, `{"result":"success","msg":"","api_key":"*","email":"alice@example.com"}`)
	s.Events(`user/keys nobody {}`)
	s.WithKey("alice@example.com", a.String("api_key")).Do("GET /users/me").OK()
	a = fetch(good, "include_profile", "true").OK()
	if a.Int("user.user_id") != int64(s.UserID("alice")) || a.String("user.delivery_email") != "alice@example.com" ||
		a.Has("user.profile_data") {
		t.Errorf("profile: %s", a.Body)
	}

	s.Skip()
	now := s.Clock.Now().Unix()
	fetch(sign(jwt.MapClaims{"email": "alice@example.com", "exp": now + 60})).OK()
	s.Skip()
	none := token(t, jwt.SigningMethodNone, jwt.UnsafeAllowNoneSignatureType, jwt.MapClaims{"email": "alice@example.com"})
	for text, msg := range map[string]string{
		"": "No JSON web token passed in request", "x": "Bad JSON web token", none: "Bad JSON web token",
		good + "x":                  "Bad JSON web token",
		strings.Repeat("x", 10_000): "Bad JSON web token",
		token(t, jwt.SigningMethodHS384, []byte(jwtSecret),
			jwt.MapClaims{"email": "alice@example.com"}): "Bad JSON web token",
		token(t, jwt.SigningMethodHS256, []byte("other"+jwtSecret),
			jwt.MapClaims{"email": "alice@example.com"}): "Bad JSON web token",
		sign(jwt.MapClaims{"email": "alice@example.com", "exp": now - 60}): "Bad JSON web token",
		sign(jwt.MapClaims{"email": 5}):                                    "Bad JSON web token",
		sign(jwt.MapClaims{"sub": "alice"}):                                "No email specified in JSON web token claims",
	} {
		fetch(text).Error(400, "BAD_REQUEST", msg)
	}
	s.Anonymous().Do("POST /jwt/fetch_api_key").Error(400, "BAD_REQUEST", "No JSON web token passed in request")
	fetch(sign(jwt.MapClaims{"email": "nobody@example.com"})).Error(401, "AUTHENTICATION_FAILED", "")
	fetch(sign(jwt.MapClaims{"email": s.As("bot").Email()})).Error(401, "AUTHENTICATION_FAILED", "")
	s.NoEvents()
	s.As("olga").Do(fmt.Sprintf("DELETE /users/%d", s.UserID("bob"))).OK()
	s.Skip()
	fetch(sign(jwt.MapClaims{"email": "bob@example.com"})).Error(401, "USER_DEACTIVATED", "Account is deactivated")
	s.NoEvents()
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
		kittest.Options{Config: "modules: {accounts: {jwt_algorithms: [ES256], jwt_key: " + string(public) + "}}"},
		realm.Module,
		accounts.Module,
	)
	s.Anonymous().
		Do("POST /jwt/fetch_api_key", "token",
			token(t, jwt.SigningMethodES256, key,
				jwt.MapClaims{"email": "alice@example.com", "nbf": s.Clock.Now().Add(-time.Minute).Unix()})).
		OK()

	for _, c := range []accounts.Config{
		{JWTKey: "short", JWTAlgorithms: []string{"HS256"}}, {JWTKey: jwtSecret},
		{JWTKey: jwtSecret, JWTAlgorithms: []string{"none"}},
		{JWTKey: jwtSecret, JWTAlgorithms: []string{"HS256", "RS256"}}, {JWTKey: jwtSecret, JWTAlgorithms: []string{"RS256"}},
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
