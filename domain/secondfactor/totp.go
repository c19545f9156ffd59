// Package secondfactor describes what people log in with besides a password: the codes of an authenticator app, and
// recovery codes for when it is lost.
package secondfactor

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha1" //nolint:gosec // RFC 6238, as all apps expect it
	"crypto/subtle"
	"encoding/base32"
	"encoding/binary"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"
)

// Parameters of the codes; see RFC 6238. Many apps ignore others.
const (
	Digits      = 6
	StepSeconds = 30
	skew        = 1 // steps by which clocks may differ
	secretBytes = 20
)

var encoding = base32.StdEncoding.WithPadding(base32.NoPadding)

// NewSecret returns a secret of 160 random bits, in base32.
func NewSecret() string {
	b := make([]byte, secretBytes)
	_, _ = rand.Read(b) // never fails
	return encoding.EncodeToString(b)
}

// Step returns the number of a moment's step.
func Step(now time.Time) int64 { return now.Unix() / StepSeconds }

// Code returns the code of a secret in a step; see RFC 4226, section 5.3.
func Code(secret string, step int64) (string, error) {
	key, err := encoding.DecodeString(secret)
	if err != nil || len(key) != secretBytes {
		return "", errors.New("the secret is invalid")
	}
	mac := hmac.New(sha1.New, key)
	_ = binary.Write(mac, binary.BigEndian, step) // never fails
	sum := mac.Sum(nil)
	at := sum[len(sum)-1] & 0xf
	n := binary.BigEndian.Uint32(sum[at:]) & 0x7fffffff
	return fmt.Sprintf("%0*d", Digits, n%1_000_000), nil
}

// Verify returns the step to which a code belongs, which must be later than that of the last code that was used. ok is
// false if there is none.
func Verify(secret, code string, now time.Time, last int64) (step int64, ok bool) {
	code = strings.Map(func(r rune) rune {
		if r == ' ' || r == '-' {
			return -1
		}
		return r
	}, code)
	for at := Step(now) - skew; at <= Step(now)+skew; at++ {
		want, err := Code(secret, at)
		if err == nil && at > last && subtle.ConstantTimeCompare([]byte(want), []byte(code)) == 1 {
			step, ok = at, true
		}
	}
	return step, ok
}

// URI returns the address with which an app takes over a secret, usually as a QR code.
func URI(secret, organization, email string) string {
	organization = strings.ReplaceAll(organization, ":", "")
	values := url.Values{"secret": {secret}, "issuer": {organization}}
	return "otpauth://totp/" + url.PathEscape(organization+":"+email) + "?" +
		strings.ReplaceAll(values.Encode(), "+", "%20") // apps show a plus
}
