// Package mailin handles incoming email: addresses for replies and channels, and turning an email into a message.
package mailin

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base32"
	"fmt"
	"strconv"
	"strings"

	"github.com/stoachat/stoa/domain/linkkey"
)

// lower is an encoding without upper-case letters, for email programs that do not preserve case.
var lower = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

const (
	prefix     = "reply+"
	proofBytes = 15 // too many to guess
	maxAddress = 254
)

// Address returns the address for a reply. It reveals nothing about the conversation, and possessing it proves that
// it was issued.
func Address(s linkkey.Secret, id int64, domain string) string {
	return prefix + strconv.FormatInt(id, 36) + "-" + proof(s, id) + "@" + domain
}

func proof(s linkkey.Secret, id int64) string {
	mac := hmac.New(sha256.New, s)
	_, _ = fmt.Fprintf(mac, "reply address %d", id)
	return lower.EncodeToString(mac.Sum(nil)[:proofBytes])
}

// Open returns the ID of an address made by Address, or false.
func Open(s linkkey.Secret, address, domain string) (int64, bool) {
	if len(address) > maxAddress {
		return 0, false
	}
	local, host, _ := strings.Cut(strings.ToLower(address), "@")
	token, isReply := strings.CutPrefix(local, prefix)
	first, given, _ := strings.Cut(token, "-")
	id, err := strconv.ParseInt(first, 36, 64)
	if err != nil || !isReply || id <= 0 || !strings.EqualFold(host, domain) {
		return 0, false
	}
	return id, hmac.Equal([]byte(given), []byte(proof(s, id)))
}
