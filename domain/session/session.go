// Package session describes browser logins and their cookies.
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

// Session is a browser login. It belongs to the shared facts, so every node refuses it within a second of its end. It
// is immutable.
type Session struct {
	ID   ID      `json:"id"`
	User user.ID `json:"user"`
	Hash string  `json:"hash"` // hex SHA-256 of the cookie's secret
	Ends int64   `json:"ends"` // Unix seconds
}

// Began is a query for when a session began. sessions returns a time.Time, which is zero if there is no such session.
type Began struct {
	Realm ids.Realm
	ID    ID
}

// Over reports whether the session has expired.
func (s *Session) Over(now time.Time) bool { return now.Unix() >= s.Ends }

// Has reports, in constant time, whether a secret is that of the session's cookie.
func (s *Session) Has(secret string) bool {
	return subtle.ConstantTimeCompare([]byte(s.Hash), []byte(Hash(secret))) == 1
}

// Begun holds the secrets that a browser receives when its session begins. The server does not store them.
type Begun struct {
	Cookie string
	CSRF   string
	Owner  string // not secret; see Owner
	Ends   time.Time
}

// NewSecret returns a secret of 130 random bits, which needs no slow hash.
func NewSecret() string { return rand.Text() }

// Hash returns the stored form of a secret.
func Hash(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}

// maxCookie exceeds the length of any session cookie, in bytes.
const maxCookie = 64

// Cookie returns the cookie's value: the session's ID and its secret.
func Cookie(id ID, secret string) string { return strconv.FormatInt(int64(id), 36) + "." + secret }

// Parse splits a cookie's value, and reports whether it is well formed.
func Parse(cookie string) (ID, string, bool) {
	first, secret, found := strings.Cut(cookie, ".")
	if !found || secret == "" || len(cookie) > maxCookie {
		return 0, "", false
	}
	id, err := strconv.ParseInt(first, 36, 64)
	return ID(id), secret, err == nil && id > 0
}

// CSRF returns the token that a session's pages send with requests that change something. It is derived from the
// cookie, so that the database does not reveal it.
func CSRF(cookie string) string {
	mac := hmac.New(sha256.New, []byte(cookie))
	_, _ = mac.Write([]byte("CSRF token"))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// CookieName returns the name of the session cookie. Browsers accept the __Host- prefix over HTTPS only, and only
// from the host itself.
func CookieName(secure bool) string {
	if secure {
		return "__Host-sessionid"
	}
	return "sessionid"
}

// Owner returns the value of the cookie that names the user of a session, who stays the same after the next login. The
// web client reads it to decide, also without a network, whose data it may show and store.
func Owner(realmUUID string, u user.ID) string {
	return realmUUID + "." + strconv.FormatInt(int64(u), 10)
}

// OwnerName returns the name of the cookie with the Owner, by the same rule as CookieName.
func OwnerName(secure bool) string {
	if secure {
		return "__Host-stoa_owner"
	}
	return "stoa_owner"
}

// maxAgent is the maximum length of a stored User-Agent in characters.
const maxAgent = 200

// Agent returns the stored form of a User-Agent header.
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
