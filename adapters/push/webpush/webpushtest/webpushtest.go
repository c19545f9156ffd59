// Package webpushtest simulates a browser in tests of Web Push. It has the keys of a subscription and decrypts messages
// sent to it.
package webpushtest

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/ecdh"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"strings"
	"testing"
)

var rawURL = base64.RawURLEncoding

// Browser is a device with a Web Push subscription.
type Browser struct {
	t    testing.TB
	key  *ecdh.PrivateKey
	auth [16]byte
}

// NewBrowser returns a device with its own keys.
func NewBrowser(t testing.TB) *Browser {
	b := &Browser{t: t}
	var err error
	if b.key, err = ecdh.P256().GenerateKey(rand.Reader); err != nil {
		t.Fatal(err)
	}
	_, _ = rand.Read(b.auth[:])
	return b
}

// Subscription returns the subscription in the form in which a page sends it to its server.
func (b *Browser) Subscription(endpoint string) string {
	text, err := json.Marshal(map[string]any{"endpoint": endpoint, "expirationTime": nil, "keys": map[string]string{
		"p256dh": rawURL.EncodeToString(b.key.PublicKey().Bytes()), "auth": rawURL.EncodeToString(b.auth[:]),
	}})
	if err != nil {
		b.t.Fatal(err)
	}
	return string(text)
}

// Open decrypts a message according to RFC 8291.
func (b *Browser) Open(body []byte) []byte {
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
