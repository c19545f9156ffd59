package mailin

import (
	"regexp"
	"strings"
)

// Channel is a parsed channel address.
type Channel struct {
	Token   string   // identifies the channel
	Options []string // options such as ShowSender
}

// Options of channel addresses.
const (
	ShowSender = "show-sender"    // the message names the email's sender
	KeepQuotes = "include-quotes" // keep the quotation at the end
	KeepFooter = "include-footer" // keep the signature
)

// mailbox matches the local part: any prefix, the token, and options.
var mailbox = regexp.MustCompile(`^(?:.*[^0-9a-z])?([0-9a-f]{32})((?:\.[a-z-]+)*)$`)

// OpenChannel parses a channel address at a domain; ok is false for all others.
func OpenChannel(address, domain string) (Channel, bool) {
	if len(address) > maxAddress {
		return Channel{}, false
	}
	local, host, _ := strings.Cut(strings.ToLower(address), "@")
	found := mailbox.FindStringSubmatch(local)
	if found == nil || !strings.EqualFold(host, domain) {
		return Channel{}, false
	}
	return Channel{found[1], strings.FieldsFunc(found[2], func(r rune) bool { return r == '.' })}, true
}
