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

// Server is a server that may use the relay.
type Server struct {
	ID            string
	Name          string // by which administrators know it
	Registrations int    // per day; 0: as configured for all
	Notifications int    // per minute; 0: as configured for all
	Devices       int64  // registered for it
	Created       time.Time
	Removed       time.Time // zero: in use
}

// Credentials are what a server logs in with. The relay keeps only the hash of the key.
type Credentials struct{ ID, Key string }

// HashKey returns what is stored of a key. Keys are random, so that a fast hash is as good as a slow one.
func HashKey(key string) string {
	sum := sha256.Sum256([]byte(key))
	return base64.StdEncoding.EncodeToString(sum[:])
}

// KeyFits reports whether a key has a hash.
func KeyFits(key, hash string) bool {
	return subtle.ConstantTimeCompare([]byte(HashKey(key)), []byte(hash)) == 1
}

// maxName is the length of a server's name in code points.
const maxName = 100

// CheckName refuses names that can't be printed in a list. Errors: BadRequest.
func CheckName(name string) error {
	unprintable := strings.IndexFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }) >= 0
	if name == "" || name != strings.TrimSpace(name) || unprintable || utf8.RuneCountInString(name) > maxName {
		return errs.Bad("The name of a server has 1 to %d printable characters, and no spaces at its ends.", maxName)
	}
	return nil
}

// Key is a key pair of the relay, without the private part.
type Key struct {
	Public  string // base64, as it is built into apps
	Created time.Time
	Retired time.Time // when another one replaced it; zero: in use
}

// Opens reports whether registrations sealed for the key are still opened, where retired keys are kept for a time.
func (k Key) Opens(now time.Time, keep time.Duration) bool {
	return k.Retired.IsZero() || now.Before(k.Retired.Add(keep))
}
