package push

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"

	"golang.org/x/crypto/nacl/secretbox"

	"github.com/stoachat/stoa/domain/push"
)

// nonceSize is the length of an XSalsa20 nonce in bytes.
const nonceSize = 24

// encrypt encrypts a payload for a device with XSalsa20-Poly1305. It returns the nonce and the ciphertext in base64.
// The nonce is derived from the key and the payload, so that a notification that is sent again is identical and can be
// recognized. Different payloads have different nonces.
func encrypt(d *push.Device, payload any) (string, error) {
	text, err := push.Encode(payload, push.MaxPayload)
	if err != nil {
		return "", err
	}
	var key [32]byte
	copy(key[:], d.Key.Bytes[1:])
	mac := hmac.New(sha256.New, append([]byte("nonce of a push notification"), key[:]...))
	mac.Write(text)
	var nonce [nonceSize]byte
	copy(nonce[:], mac.Sum(nil))
	return base64.StdEncoding.EncodeToString(secretbox.Seal(nonce[:], text, &nonce, &key)), nil
}
