package relay

import (
	"encoding/hex"
	"encoding/json"
	"strings"
	"time"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/push"
)

// Target is the destination of a device's notifications.
type Target struct {
	Kind  push.TokenKind
	Token string // for Web, the subscription as JSON
	AppID string // for APNs
}

// Limits on a registration.
const (
	maxSealed    = 32 << 10       // bytes of base64
	maxToken     = 4096           // bytes
	maxAPNsToken = 200            // hex digits
	lifetime     = 24 * time.Hour // of a sealed registration
	maxSkew      = 24 * time.Hour // how far a device's clock may be ahead
)

// Sealed is a registration that only the relay can open.
type Sealed struct {
	Realm     string   // UUID in lower case
	TokenID   string   // base64
	PublicKey [32]byte // the key it was sealed for
	Box       []byte
}

// ReadSealed validates the parameters of a registration. Errors: BadRequest; InvalidBouncerKey if the key can't be a
// relay's.
func ReadSealed(realm, tokenID, key, box string) (Sealed, error) {
	out := Sealed{TokenID: tokenID}
	var err error
	if out.Realm, err = readRealm(realm); err != nil {
		return out, err
	}
	if !push.IsTokenID(tokenID) {
		return out, errs.Bad("Invalid token_id")
	}
	public, err := push.DecodeBase64(key)
	if err != nil || len(public) != len(out.PublicKey) {
		return out, ErrUnknownKey()
	}
	copy(out.PublicKey[:], public)
	if len(box) > maxSealed {
		return out, errs.Bad("encrypted_push_registration is too long.")
	}
	if out.Box, err = push.DecodeBase64(box); err != nil || len(out.Box) == 0 {
		return out, errs.Bad("encrypted_push_registration is not base64.")
	}
	return out, nil
}

// ErrUnknownKey returns the error for a registration sealed for another relay or for an expired key.
func ErrUnknownKey() error {
	return errs.New(
		errs.InvalidBouncerKey,
		"The registration was encrypted for a key that this push service does not use.",
	)
}

// ErrSealed returns the error for a registration that can't be opened.
func ErrSealed() error { return errs.Bad("The push registration cannot be decrypted.") }

// Open parses the decrypted registration. Errors: RequestExpired; BadRequest.
func (s Sealed) Open(plain []byte, now time.Time) (Target, error) {
	var in struct {
		Token string  `json:"token"`
		Kind  string  `json:"token_kind"`
		AppID *string `json:"ios_app_id"`
		At    *int64  `json:"timestamp"` // Unix seconds
	}
	if err := json.Unmarshal(plain, &in); err != nil || in.At == nil {
		return Target{}, errs.Bad("The push registration is malformed.")
	}
	out := Target{Kind: push.TokenKind(in.Kind), Token: in.Token}
	if in.AppID != nil {
		out.AppID = *in.AppID
	}
	if err := out.check(); err != nil {
		return Target{}, err
	}
	if push.TokenID(in.Token) != s.TokenID {
		return Target{}, errs.Bad("token_id does not belong to the token in the push registration.")
	}
	if *in.At < now.Add(-lifetime).Unix() {
		return Target{}, errs.New(errs.RequestExpired, "The push registration has expired.")
	}
	if *in.At > now.Add(maxSkew).Unix() {
		return Target{}, errs.Bad("The push registration is dated in the future.")
	}
	return out, nil
}

func (t Target) check() error {
	if t.Token == "" || len(t.Token) > maxToken {
		return errs.Bad("Empty or invalid length token")
	}
	if (t.Kind == push.APNs) != (t.AppID != "") {
		return errs.Bad("ios_app_id is required for APNs tokens and not allowed for others.")
	}
	switch t.Kind {
	case push.FCM:
		if strings.IndexFunc(t.Token, func(r rune) bool { return r <= ' ' || r > '~' }) >= 0 {
			return errs.Bad("Invalid FCM token")
		}
		return nil
	case push.APNs:
		if _, err := hex.DecodeString(t.Token); err != nil || len(t.Token) > maxAPNsToken {
			return errs.Bad("Invalid APNS token")
		}
		return push.CheckAppID(t.AppID)
	case push.Web:
		_, err := push.ReadSubscription(t.Token)
		return err
	}
	return errs.Bad("Invalid token_kind")
}

// readRealm parses the UUID of an organization.
func readRealm(text string) (string, error) {
	b, err := hex.DecodeString(strings.ReplaceAll(text, "-", ""))
	if err != nil || len(b) != 16 || len(text) != 36 || text[8] != '-' || text[13] != '-' || text[18] != '-' ||
		text[23] != '-' {
		return "", errs.Bad("Invalid realm_uuid")
	}
	return strings.ToLower(text), nil
}
