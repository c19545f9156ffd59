// Package mailin is incoming email: the addresses that people reply to, and what of a reply becomes a message.
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

// lower is an alphabet that survives mail programs which ignore case.
var lower = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

const (
	prefix     = "reply+"
	proofBytes = 15 // that nobody guesses
	maxAddress = 254
)

// Address returns the address for a reply. It tells nothing of what the reply is to, and proves that whoever has it was
// given it.
func Address(s linkkey.Secret, id int64, domain string) string {
	return prefix + strconv.FormatInt(id, 36) + "-" + proof(s, id) + "@" + domain
}

func proof(s linkkey.Secret, id int64) string {
	mac := hmac.New(sha256.New, s)
	_, _ = fmt.Fprintf(mac, "reply address %d", id)
	return lower.EncodeToString(mac.Sum(nil)[:proofBytes])
}

// Open returns the ID of an address that Address returned; false for all others.
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
