package pushrelay_test

import (
	"crypto/ecdsa"
	"encoding/base64"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/stoachat/stoa/adapters/push/webpush/webpushtest"
)

var rawURL = base64.RawURLEncoding

// newWebPush returns a Web Push service. Tokens are the paths of its endpoints.
func newWebPush(t *testing.T, b *webpushtest.Browser, vapid *ecdsa.PublicKey) *service {
	return newService(t, func(s *service, r *http.Request, body []byte) (string, []byte, *refusal) {
		own, err := vapid.ECDH()
		if err != nil {
			t.Fatal(err)
		}
		text, key, ok := strings.Cut(strings.TrimPrefix(r.Header.Get("Authorization"), "vapid t="), ", k=")
		if !ok || key != rawURL.EncodeToString(own.Bytes()) {
			t.Errorf("Authorization is %q", r.Header.Get("Authorization"))
		}
		claims := jwt.MapClaims{}
		_, err = jwt.ParseWithClaims(text, claims, func(*jwt.Token) (any, error) { return vapid, nil },
			jwt.WithValidMethods([]string{"ES256"}), jwt.WithAudience(s.URL), jwt.WithSubject("mailto:push@example.com"),
			jwt.WithExpirationRequired())
		if at, _ := claims.GetExpirationTime(); err != nil || time.Until(at.Time) > 24*time.Hour {
			t.Errorf("VAPID claims %v: %v", claims, err)
		}
		h := r.Header
		if h.Get("Content-Encoding") != "aes128gcm" || h.Get("Ttl") != "3600" || len(h.Get("Topic")) != 32 {
			t.Errorf("Web Push headers are %v", h)
		}
		return r.URL.Path, b.Open(body), nil
	})
}
