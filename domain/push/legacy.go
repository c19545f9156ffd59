package push

import (
	"encoding/hex"
	"strings"

	"github.com/stoachat/stoa/domain/errs"
)

// LegacyToken is a provider token registered by an older client, for notifications without end-to-end encryption.
type LegacyToken struct {
	Kind  TokenKind
	Token string
	AppID string // for APNs
}

// maxLegacyToken is the maximum length of a token in bytes.
const maxLegacyToken = 4096

// CheckLegacy validates a token and its app ID. Errors: BadRequest.
func CheckLegacy(t LegacyToken) error {
	if t.Token == "" || len(t.Token) > maxLegacyToken || strings.ContainsRune(t.Token, 0) {
		return errs.Bad("Empty or invalid length token")
	}
	if t.Kind != APNs {
		return nil
	}
	if _, err := hex.DecodeString(t.Token); err != nil {
		return errs.Bad("Invalid APNS token")
	}
	return nil
}

// maxAppID is the maximum length of an app ID in bytes.
const maxAppID = 256

// CheckAppID validates an APNs app ID. Errors: BadRequest.
func CheckAppID(id string) error {
	ok := func(r rune) bool {
		return r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r == '.' || r == '-'
	}
	if id == "" || len(id) > maxAppID || strings.IndexFunc(id, func(r rune) bool { return !ok(r) }) >= 0 {
		return errs.Bad("Invalid app ID")
	}
	return nil
}
