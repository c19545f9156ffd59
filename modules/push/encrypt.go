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

// encrypt returns the base64 of a nonce and the payload encrypted for a device with XSalsa20-Poly1305. The nonce is
// derived from the key and the payload. It differs whenever these do, and a notification that is sent again has the
// same bytes, so that the service that shows it can recognize it.
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
