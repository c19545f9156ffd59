// Package linkkey makes the keys in links that are emailed or handed out; possessing a key proves that it was issued.
// Keys are not stored but derived from the object's ID and a secret outside the database. They can therefore be
// recreated for an email that is sent again, and a copy of the database contains none.
package linkkey

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"
)

// Secret is the secret that keys are derived from.
type Secret []byte

// SecretBytes is the length of a generated secret.
const SecretBytes = 32

// NonceBytes is the length of the random nonce stored with each object. With it, an ID that is reused after the
// database was restored has a different key.
const NonceBytes = 16

// Key returns the key of the object with the given ID: the ID and a proof. what namespaces the key by kind of object.
func (s Secret) Key(what string, id int64, nonce string) string {
	return strconv.FormatInt(id, 36) + "-" + base64.RawURLEncoding.EncodeToString(s.proof(what, id, nonce))
}

func (s Secret) proof(what string, id int64, nonce string) []byte {
	mac := hmac.New(sha256.New, s)
	_, _ = fmt.Fprintf(mac, "%s %d %s", what, id, nonce)
	return mac.Sum(nil)
}

// maxKey exceeds the length of any key.
const maxKey = 80

// Parse splits a key into an ID and a proof, to be verified with Proves; ok is false if it is malformed.
func Parse(key string) (id int64, proof []byte, ok bool) {
	if len(key) > maxKey {
		return 0, nil, false
	}
	first, rest, _ := strings.Cut(key, "-")
	id, err := strconv.ParseInt(first, 36, 64)
	if err != nil || id <= 0 || strconv.FormatInt(id, 36) != first {
		return 0, nil, false
	}
	proof, err = base64.RawURLEncoding.Strict().DecodeString(rest)
	return id, proof, err == nil && len(proof) == sha256.Size
}

// Proves reports, in constant time, whether a proof belongs to an object.
func (s Secret) Proves(what string, id int64, nonce string, proof []byte) bool {
	return hmac.Equal(s.proof(what, id, nonce), proof)
}

// Source returns a keyed hash by which a network address, or another value, can be recognized without storing it.
func (s Secret) Source(from string) string {
	mac := hmac.New(sha256.New, s)
	_, _ = fmt.Fprintf(mac, "source %s", from)
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil)[:18])
}
