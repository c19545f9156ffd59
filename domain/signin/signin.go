// Package signin describes logins that complete outside of the app: users log in on a web page, and the browser
// passes the result to the app that opened it.
//
// An app chooses a one-time pad (OTP) of 32 random bytes and opens the login page with it. A mobile app registers the
// scheme zulip: and receives its API key, XORed with the pad, by a redirect. For a desktop app, the page shows a code
// to paste: a one-time token, encrypted with the pad, with which the app begins a session.
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
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/session"
	"github.com/stoachat/stoa/domain/user"
)

// Method is a way to log in other than with a password, as listed in external_authentication_methods. Modules add
// theirs by answering Methods.
type Method struct {
	Name        string  `json:"name"`         // identifies the method
	DisplayName string  `json:"display_name"` // as in "Log in with GitHub"
	Icon        *string `json:"display_icon"` // URL; nil: none
	Provider    bool    `json:"-"`            // accounts can be connected to identities at it; see ports.Identities
	LoginURL    string  `json:"login_url"`    // from the server's root, without a query; takes the parameters of ParseFlow
	SignUpURL   string  `json:"signup_url"`
	Script      string  `json:"-"` // part of the login page, where it may make the method easier to use; "": none
}

// Methods is a query for the ways to log in to a realm other than with a password, asked of all modules. Each returns a
// []Method.
type Methods struct {
	Realm realm.ID // 0: at a host name without a realm
}

// TokenLife is the lifetime of a desktop app's token.
const TokenLife = 15 * time.Second

// otpBytes is the length of a one-time pad, equal to that of an API key.
const otpBytes = 32

// OTP is a one-time pad chosen by an app; nil if no app is waiting.
type OTP []byte

// Flow describes how to continue after a login. At most one of the pads is set.
type Flow struct {
	Next    string // the page to open after the login; "/" by default
	Mobile  OTP
	Desktop OTP

	SecondFactor bool // the person has given a second factor, or need not
	// Ends limits the session, because the provider's ends then; zero: only by the organization's settings.
	Ends   time.Time
	Origin string // what the module that began the login is told with user.SessionBegun; empty for other modules
}

// Outcome determines what the browser does after a login. Exactly one field is set; see page.Finish.
type Outcome struct {
	Session *session.Begun // open Flow.Next in this session
	App     string         // follow this URL, which opens the mobile app; the browser is not logged in
	Code    string         // show this code for the desktop app; the browser is not logged in
	Second  *Challenge     // open the page for the second factor; the browser is not logged in
}

// ParseFlow parses the parameters next, mobile_flow_otp and desktop_flow_otp of a login page. Errors: BadRequest.
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

// AppAddress returns the URL that passes a mobile app its API key. realm is the organization's URL as known to the
// app.
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

// Code encrypts a token for the desktop app that chose the pad: hexadecimal nonce and AES-256-GCM ciphertext.
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
