// Package signin is how a login ends that began outside of the app: people log in on a page of their browser, and the
// browser hands the result to the app that opened it.
//
// An app chooses a one-time pad of 32 random bytes (OTP) and opens the login page with it. A mobile app registers the
// scheme zulip: and receives its API key, combined with the pad, by a redirect. A desktop app shows a field into
// which people paste a code: a one-time token, encrypted with the pad, by which the app itself begins a session.
package signin

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/hex"
	"net/url"
	"strconv"
	"time"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/session"
	"github.com/stoachat/stoa/domain/user"
)

// TokenLife is how long the token of a desktop app can be used.
const TokenLife = 15 * time.Second

// otpBytes is the length of a one-time pad, which is that of an API key.
const otpBytes = 32

// OTP is a one-time pad that an app has chosen; nil where no app waits.
type OTP []byte

// Flow is what a login leads to. At most one of the pads is set.
type Flow struct {
	Next    string // where the browser goes on; "/" unless it was asked otherwise
	Mobile  OTP
	Desktop OTP
}

// Outcome is what the browser is to do. Exactly one field is set.
type Outcome struct {
	Session *session.Begun // go on to Flow.Next in this session
	App     string         // follow this address, which opens the mobile app; the browser is not logged in
	Code    string         // show this text, to be pasted into the desktop app; the browser is not logged in
}

// ParseFlow reads the parameters next, mobile_flow_otp and desktop_flow_otp of a login page. Errors: BadRequest.
func ParseFlow(q url.Values) (Flow, error) {
	f := Flow{Next: session.Next(q.Get("next"))}
	var err error
	if f.Mobile, err = parseOTP(q, "mobile_flow_otp"); err != nil {
		return Flow{}, err
	}
	if f.Desktop, err = parseOTP(q, "desktop_flow_otp"); err != nil {
		return Flow{}, err
	}
	if f.Mobile != nil && f.Desktop != nil {
		return Flow{}, errs.Bad("Give either 'mobile_flow_otp' or 'desktop_flow_otp', not both.")
	}
	return f, nil
}

func parseOTP(q url.Values, name string) (OTP, error) {
	if !q.Has(name) {
		return nil, nil
	}
	otp, err := hex.DecodeString(q.Get(name))
	if err != nil || len(otp) != otpBytes {
		return nil, errs.Bad("'%s' must have 64 hexadecimal digits.", name)
	}
	return otp, nil
}

// AppAddress returns the address that gives a mobile app its API key. realm is the address of the organization as the
// app knows it.
func AppAddress(realm string, u *user.User, key string, pad OTP) (string, error) {
	if len(key) != otpBytes || len(pad) != otpBytes {
		return "", errs.New(errs.Internal, "The API key can't be handed over.")
	}
	combined := make([]byte, otpBytes)
	for i := range combined {
		combined[i] = key[i] ^ pad[i]
	}
	return "zulip://login?" + url.Values{
		"realm": {realm}, "email": {u.DeliveryEmail}, "user_id": {strconv.FormatInt(int64(u.ID), 10)},
		"otp_encrypted_api_key": {hex.EncodeToString(combined)},
	}.Encode(), nil
}

// Code encrypts a token for the desktop app that has chosen the pad: a nonce, then the token with AES-256-GCM, in
// hexadecimal digits.
func Code(token string, pad OTP) (string, error) {
	block, err := aes.NewCipher(pad)
	if err != nil {
		return "", err
	}
	gcm, err := cipher.NewGCM(block)
	if err != nil {
		return "", err
	}
	nonce := make([]byte, gcm.NonceSize())
	_, _ = rand.Read(nonce) // never fails
	return hex.EncodeToString(gcm.Seal(nonce, nonce, []byte(token), nil)), nil
}
