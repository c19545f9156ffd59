package relay

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/stoachat/stoa/domain/errs"
)

// Server is a server that is allowed to use the relay.
type Server struct {
	ID            string
	Name          string // chosen by the administrators
	Registrations int    // per day; 0: the configured default
	Notifications int    // per minute; 0: the configured default
	Devices       int64  // number registered
	Created       time.Time
	Removed       time.Time // zero: active
}

// Credentials authenticate a server. The relay stores only the hash of the key.
type Credentials struct{ ID, Key string }

// HashKey returns the stored form of a key. Keys are random, so a fast hash suffices.
func HashKey(key string) string {
	sum := sha256.Sum256([]byte(key))
	return base64.StdEncoding.EncodeToString(sum[:])
}

// KeyFits reports whether a key has the given hash.
func KeyFits(key, hash string) bool {
	return subtle.ConstantTimeCompare([]byte(HashKey(key)), []byte(hash)) == 1
}

// maxName is the maximum length of a server's name in code points.
const maxName = 100

// CheckName validates a server's name. Errors: BadRequest.
func CheckName(name string) error {
	unprintable := strings.IndexFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }) >= 0
	if name == "" || name != strings.TrimSpace(name) || unprintable || utf8.RuneCountInString(name) > maxName {
		return errs.Bad("A server name must have 1 to %d printable characters, without leading or trailing spaces.", maxName)
	}
	return nil
}

// Key is a key pair of the relay, without the private part.
type Key struct {
	Public  string // base64, as built into apps
	Created time.Time
	Retired time.Time // when it was replaced; zero: in use
}

// Opens reports whether registrations sealed for the key are still accepted; retired keys are kept for some time.
func (k Key) Opens(now time.Time, keep time.Duration) bool {
	return k.Retired.IsZero() || now.Before(k.Retired.Add(keep))
}
