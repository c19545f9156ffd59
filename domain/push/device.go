// Package push describes mobile push notifications: registered devices, notifications, and their form for a push
// service.
package push

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"time"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

// DeviceID identifies a registered device on this server.
type DeviceID int64

// Device is a device registered for encrypted notifications. Zero fields are null on the wire.
type Device struct {
	ID    DeviceID
	Realm realm.ID
	User  user.ID
	URL   string // the URL at which its client reached the realm when it last registered; included in notifications

	Key          *Key      // nil until the first registration
	TokenID      string    // of the token that receives notifications
	TokenKind    TokenKind // of that token
	PendingID    string    // of the token that the push service has yet to accept
	PendingKind  TokenKind
	TokenUpdated time.Time // when PendingID was last set
	Error        string    // why the push service refused PendingID

	Web *WebDevice // nil: notifications go through a push service
}

// Active reports whether notifications can be sent to the device.
func (d *Device) Active() bool { return d.Web != nil || d.Key != nil && d.TokenID != "" }

// Key encrypts notifications for a device.
type Key struct {
	ID    uint32 // chosen by the client, and sent with notifications to identify the key
	Bytes []byte // SecretBox, then 32 bytes
}

// Equal reports whether k and other are the same key.
func (k *Key) Equal(other *Key) bool {
	return k == other || k != nil && other != nil && k.ID == other.ID && bytes.Equal(k.Bytes, other.Bytes)
}

// SecretBox is the first byte of a key for libsodium's crypto_secretbox, the only supported cryptosystem.
const SecretBox = 0x31

// keySize is the length of a key in bytes, including the first byte.
const keySize = 33

// TokenKind identifies the service that delivers a device's notifications.
type TokenKind string

// The kinds.
const (
	FCM  TokenKind = "fcm"
	APNs TokenKind = "apns"
	Web  TokenKind = "web" // a Web Push subscription
)

// Maximum lengths in a registration, in bytes.
const (
	maxRegistration = 32 << 10
	maxBouncerKey   = 1 << 10
)

// Request is a registration as sent by a client: key fields, token fields, or both. An incomplete group of fields
// counts as absent.
type Request struct {
	KeyID        *uint32
	Key          *string
	TokenKind    *string
	TokenID      *string
	BouncerKey   *string
	Registration *string
}

// Registration is a validated request.
type Registration struct {
	Key   *Key   // nil: not given
	Token *Token // nil: not given
}

// Token is a sealed token that only the push service can open.
type Token struct {
	Kind       TokenKind
	ID         string // base64 of the first 8 bytes of the token's SHA-256
	BouncerKey string // base64; the public key that the token is sealed for
	Sealed     string // base64
}

// Check validates a request. Errors: BadRequest.
func (r Request) Check() (Registration, error) {
	var out Registration
	if r.KeyID != nil && r.Key != nil {
		b, err := DecodeBase64(*r.Key)
		if err != nil || len(b) != keySize || b[0] != SecretBox {
			return out, errs.Bad("Invalid push_key")
		}
		out.Key = &Key{ID: *r.KeyID, Bytes: b}
	}
	if r.TokenKind != nil && r.TokenID != nil && r.BouncerKey != nil && r.Registration != nil {
		t := &Token{Kind: TokenKind(*r.TokenKind), ID: *r.TokenID, BouncerKey: *r.BouncerKey, Sealed: *r.Registration}
		switch {
		case !IsTokenID(t.ID):
			return out, errs.Bad("Invalid token_id")
		case t.Kind != FCM && t.Kind != APNs: // Web Push subscriptions are registered without a push service
			return out, errs.Bad("Invalid token_kind")
		case !isBase64(t.BouncerKey, maxBouncerKey):
			return out, errs.Bad("Invalid bouncer_public_key")
		case !isBase64(t.Sealed, maxRegistration):
			return out, errs.Bad("Invalid encrypted_push_registration")
		}
		out.Token = t
	}
	if out.Key == nil && out.Token == nil {
		return out, errs.Bad("Missing parameters: must provide either all push key fields, all token fields, or both.")
	}
	return out, nil
}

// TokenIDSize is the length of a token's ID in bytes.
const TokenIDSize = 8

// TokenID returns the ID of a token.
func TokenID(token string) string {
	sum := sha256.Sum256([]byte(token))
	return base64.StdEncoding.EncodeToString(sum[:TokenIDSize])
}

// IsTokenID reports whether a text has the form of the ID of a token.
func IsTokenID(text string) bool {
	b, err := DecodeBase64(text)
	return err == nil && len(b) == TokenIDSize
}

// isBase64 reports whether a text is the base64 of at least one byte, and has at most the given number of characters.
func isBase64(text string, most int) bool {
	if text == "" || len(text) > most {
		return false
	}
	_, err := DecodeBase64(text)
	return err == nil
}

// Register applies a registration to the device and reports which parts changed. Errors: BadRequest.
func (d *Device) Register(r Registration, now time.Time) (Changed, error) {
	if r.Token == nil {
		if d.Key == nil {
			return Changed{}, errs.Bad("No push key to rotate: the device has not been registered yet.")
		}
		return d.rotate(r.Key), nil
	}
	failed := d.Error != ""
	active := !failed && d.TokenID == r.Token.ID && d.TokenKind == r.Token.Kind
	switch {
	case d.PendingID != "" && !failed:
		return Changed{}, errs.Bad("A token registration for the device is already in progress.")
	case r.Key == nil && d.Key == nil:
		return Changed{}, errs.Bad("Push key fields are required: the device has not been registered yet.")
	case active && (r.Key == nil || r.Key.Equal(d.Key)):
		return Changed{}, nil
	}
	c := d.rotate(r.Key)
	d.PendingID, d.PendingKind, d.TokenUpdated, d.Error = r.Token.ID, r.Token.Kind, now, ""
	c.Pending, c.Error = true, failed
	return c, nil
}

// rotate replaces the key, if a different one is given.
func (d *Device) rotate(k *Key) Changed {
	if k == nil || k.Equal(d.Key) {
		return Changed{}
	}
	d.Key = k
	return Changed{Key: true}
}

// Accept records that the push service has accepted the pending token.
func (d *Device) Accept() Changed {
	d.TokenID, d.TokenKind, d.PendingID, d.PendingKind = d.PendingID, d.PendingKind, "", ""
	return Changed{Token: true, Pending: true}
}

// Refuse records that the push service has refused the pending token, which stays until the client registers again.
func (d *Device) Refuse(code errs.Code) Changed {
	d.Error = string(code)
	return Changed{Error: true}
}

// Unregister records that the token no longer reaches the device, according to the push service.
func (d *Device) Unregister() Changed {
	d.TokenID, d.TokenKind = "", ""
	return Changed{Token: true}
}

// Changed reports which properties of a device have changed.
type Changed struct {
	Key     bool
	Token   bool
	Pending bool // with the time of its update, unless it was accepted
	Error   bool
}

// Any reports whether anything changed.
func (c Changed) Any() bool { return c != Changed{} }
