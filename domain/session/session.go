// Package session is the browsers in which people are logged in, and the cookies by which they are recognized.
package session

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/stoachat/stoa/domain/ids"
	"github.com/stoachat/stoa/domain/user"
)

// ID identifies a session on this server.
type ID = ids.Session

// Session is a browser in which somebody is logged in. It is a shared fact, so every node knows within a second that
// it has ended. It does not change.
type Session struct {
	ID   ID      `json:"id"`
	User user.ID `json:"user"`
	Hash string  `json:"hash"` // SHA-256 of the secret in the cookie, in hex
	Ends int64   `json:"ends"` // Unix seconds
}

// Over reports whether the time of the session is over.
func (s *Session) Over(now time.Time) bool { return now.Unix() >= s.Ends }

// Has reports whether the session's cookie holds a secret. Its time does not depend on how much of the secret is right.
func (s *Session) Has(secret string) bool {
	return subtle.ConstantTimeCompare([]byte(s.Hash), []byte(Hash(secret))) == 1
}

// Begun is what a browser receives when its session begins. It is kept nowhere else.
type Begun struct {
	Cookie string
	CSRF   string
	Ends   time.Time
}

// NewSecret returns a secret of 130 random bits, which needs no slow hash.
func NewSecret() string { return rand.Text() }

// Hash returns what is stored of a secret.
func Hash(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}

// maxCookie bounds the length of a cookie's value in bytes. None of ours is longer.
const maxCookie = 64

// Cookie returns the cookie's value: the ID, by which the session is found, and the secret, which proves that it is
// the browser's.
func Cookie(id ID, secret string) string { return strconv.FormatInt(int64(id), 36) + "." + secret }

// Parse splits the value of a cookie, and reports whether it has the form of one.
func Parse(cookie string) (ID, string, bool) {
	first, secret, found := strings.Cut(cookie, ".")
	if !found || secret == "" || len(cookie) > maxCookie {
		return 0, "", false
	}
	id, err := strconv.ParseInt(first, 36, 64)
	return ID(id), secret, err == nil && id > 0
}

// CSRF returns the token that the pages of a session repeat in requests that change something. It is made from the
// cookie, so that the database holds nothing from which it could be found.
func CSRF(cookie string) string {
	mac := hmac.New(sha256.New, []byte(cookie))
	_, _ = mac.Write([]byte("CSRF token"))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// CookieName returns the name of the session cookie. Over HTTPS browsers accept a name with the prefix only from this
// very host.
func CookieName(secure bool) string {
	if secure {
		return "__Host-sessionid"
	}
	return "sessionid"
}

// maxAgent bounds what is stored of a User-Agent, in characters.
const maxAgent = 200

// Agent returns a User-Agent as it is stored.
func Agent(header string) string {
	text := strings.Map(func(r rune) rune {
		if r == utf8.RuneError || !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, header)
	if utf8.RuneCountInString(text) > maxAgent {
		text = string([]rune(text)[:maxAgent])
	}
	return text
}
