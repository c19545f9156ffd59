package invite

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"
)

// Secret is what the keys of invitations are made with. The database holds no key: who can read it, and does not know the
// secret, can't use what is in it, while links can still be shown again to those who made them.
type Secret []byte

// SecretBytes is how long a secret is that the server makes.
const SecretBytes = 32

// Key gives the key of an invitation: its id, and what proves that whoever has it was given it.
func (s Secret) Key(i *Invite) string {
	return strconv.FormatInt(int64(i.ID), 36) + "-" + base64.RawURLEncoding.EncodeToString(s.proof(i.ID, i.Nonce))
}

func (s Secret) proof(id ID, nonce string) []byte {
	mac := hmac.New(sha256.New, s)
	_, _ = fmt.Fprintf(mac, "invite %d %s", id, nonce)
	return mac.Sum(nil)
}

// maxKey is longer than any key.
const maxKey = 80

// Parse reads a key, which says which invitation it is for; what it says is believed only when Proves agrees. False: it is none.
func Parse(key string) (id ID, proof []byte, ok bool) {
	if len(key) > maxKey {
		return 0, nil, false
	}
	first, rest, _ := strings.Cut(key, "-")
	n, err := strconv.ParseInt(first, 36, 64)
	if err != nil || n <= 0 || strconv.FormatInt(n, 36) != first {
		return 0, nil, false
	}
	proof, err = base64.RawURLEncoding.Strict().DecodeString(rest)
	return ID(n), proof, err == nil && len(proof) == sha256.Size
}

// Proves tells whether a key is that of an invitation, in a time that does not depend on how much of it is right.
func (s Secret) Proves(i *Invite, proof []byte) bool {
	return hmac.Equal(s.proof(i.ID, i.Nonce), proof)
}

// Source gives by what an address of the network, or something else that is not to be kept, is known again.
func (s Secret) Source(from string) string {
	mac := hmac.New(sha256.New, s)
	_, _ = fmt.Fprintf(mac, "source %s", from)
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil)[:18])
}
