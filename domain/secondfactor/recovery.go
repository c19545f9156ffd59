package secondfactor

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// RecoveryCodes is the number of recovery codes in a set, and FewCodes that at which their owner should make new ones.
const (
	RecoveryCodes = 10
	FewCodes      = 3

	recoveryBytes = 10
	recoveryGroup = 4 // characters between hyphens
)

// NewRecoveryCodes returns a set of codes of 80 random bits, in groups of base32, such as "abcd-efgh-ijkl-mnop".
func NewRecoveryCodes() []string {
	codes := make([]string, RecoveryCodes)
	for i := range codes {
		b := make([]byte, recoveryBytes)
		_, _ = rand.Read(b) // never fails
		text := strings.ToLower(encoding.EncodeToString(b))
		var groups []string
		for ; len(text) > 0; text = text[recoveryGroup:] {
			groups = append(groups, text[:recoveryGroup])
		}
		codes[i] = strings.Join(groups, "-")
	}
	return codes
}

// HashRecoveryCode returns the stored form of a code as people type it. ok is false if it cannot be one. The codes have
// enough entropy for a fast hash.
func HashRecoveryCode(code string) (hash string, ok bool) {
	code = strings.ToUpper(strings.NewReplacer("-", "", " ", "").Replace(code))
	b, err := encoding.DecodeString(code)
	if err != nil || len(b) != recoveryBytes {
		return "", false
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:]), true
}
