// Package linkkey is the keys in links that are sent by mail or handed out: whoever has one has been given it. No key
// is stored. It is made of the id of what it is for and of a secret that the database does not hold, so that it can be
// written into a mail that is sent again, and a copy of the database opens nothing.
package linkkey

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"
)

// Secret is what keys are made with.
type Secret []byte

// SecretBytes is how long a secret is that the server makes.
const SecretBytes = 32

// NonceBytes is how much that is random is stored with what a key is for. It makes the key of an id another one after
// the database was set back.
const NonceBytes = 16

// Key gives the key of the thing with that id: the id, and what proves that whoever has the key was given it. What says
// what kind of thing it is, so that the key of one opens no other.
func (s Secret) Key(what string, id int64, nonce string) string {
	return strconv.FormatInt(id, 36) + "-" + base64.RawURLEncoding.EncodeToString(s.proof(what, id, nonce))
}

func (s Secret) proof(what string, id int64, nonce string) []byte {
	mac := hmac.New(sha256.New, s)
	_, _ = fmt.Fprintf(mac, "%s %d %s", what, id, nonce)
	return mac.Sum(nil)
}

// maxKey is longer than any key.
const maxKey = 80

// Parse reads a key, which says which thing it is for; what it says is believed only when Proves agrees. False: it is
// none.
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

// Proves tells whether a proof is that of a thing, in a time that does not depend on how much of it is right.
func (s Secret) Proves(what string, id int64, nonce string, proof []byte) bool {
	return hmac.Equal(s.proof(what, id, nonce), proof)
}

// Source gives by what an address of the network, or something else that is not to be kept, is known again.
func (s Secret) Source(from string) string {
	mac := hmac.New(sha256.New, s)
	_, _ = fmt.Fprintf(mac, "source %s", from)
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil)[:18])
}
