package pushrelay_test

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/ecdh"
	"crypto/ecdsa"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

var rawURL = base64.RawURLEncoding

// browser is a device with a Web Push subscription.
type browser struct {
	t    *testing.T
	key  *ecdh.PrivateKey
	auth [16]byte
}

func newBrowser(t *testing.T) *browser {
	b := &browser{t: t}
	var err error
	if b.key, err = ecdh.P256().GenerateKey(rand.Reader); err != nil {
		t.Fatal(err)
	}
	_, _ = rand.Read(b.auth[:])
	return b
}

// subscription is what a page gives to its server.
func (b *browser) subscription(endpoint string) string {
	text, err := json.Marshal(map[string]any{"endpoint": endpoint, "expirationTime": nil, "keys": map[string]string{
		"p256dh": rawURL.EncodeToString(b.key.PublicKey().Bytes()), "auth": rawURL.EncodeToString(b.auth[:]),
	}})
	if err != nil {
		b.t.Fatal(err)
	}
	return string(text)
}

// open decrypts a message as RFC 8291 says.
func (b *browser) open(body []byte) []byte {
	b.t.Helper()
	if len(body) < 86 || body[20] != 65 || binary.BigEndian.Uint32(body[16:]) < uint32(len(body)-86) {
		b.t.Fatalf("the header of a body of %d bytes is malformed", len(body))
	}
	salt, sender := body[:16], body[21:86]
	public, err := ecdh.P256().NewPublicKey(sender)
	if err != nil {
		b.t.Fatal(err)
	}
	shared, err := b.key.ECDH(public)
	if err != nil {
		b.t.Fatal(err)
	}
	derive := func(secret, salt []byte, info string, n int) []byte {
		out, err := hkdf.Key(sha256.New, secret, salt, info, n)
		if err != nil {
			b.t.Fatal(err)
		}
		return out
	}
	ikm := derive(shared, b.auth[:], "WebPush: info\x00"+string(b.key.PublicKey().Bytes())+string(sender), 32)
	block, err := aes.NewCipher(derive(ikm, salt, "Content-Encoding: aes128gcm\x00", 16))
	if err != nil {
		b.t.Fatal(err)
	}
	gcm, err := cipher.NewGCM(block)
	if err != nil {
		b.t.Fatal(err)
	}
	plain, err := gcm.Open(nil, derive(ikm, salt, "Content-Encoding: nonce\x00", 12), body[86:], nil)
	if err != nil {
		b.t.Fatalf("the subscription's key does not open the message: %v", err)
	}
	text, ok := strings.CutSuffix(strings.TrimRight(string(plain), "\x00"), "\x02")
	if !ok {
		b.t.Fatal("the message has no end")
	}
	return []byte(text)
}

// newWebPush is the push service of a browser. Tokens are the paths of its addresses.
func newWebPush(t *testing.T, b *browser, vapid *ecdsa.PublicKey) *service {
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
		return r.URL.Path, b.open(body), nil
	})
}
