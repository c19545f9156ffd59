package push

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/json"

	"golang.org/x/crypto/nacl/secretbox"

	"github.com/stoachat/stoa/domain/push"
)

// encrypt returns base64 of a random nonce and the payload encrypted for a device with XSalsa20-Poly1305.
func encrypt(d *push.Device, payload any) (string, error) {
	text, err := json.Marshal(payload)
	if err != nil {
		return "", err
	}
	var nonce [24]byte
	_, _ = rand.Read(nonce[:]) // never fails
	var key [32]byte
	copy(key[:], d.Key.Bytes[1:])
	return base64.StdEncoding.EncodeToString(secretbox.Seal(nonce[:], text, &nonce, &key)), nil
}
