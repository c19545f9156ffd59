package mailin

import (
	"regexp"
	"strings"
	"unicode"
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

// replyPrefixes matches the prefixes of subjects of replies and forwarded emails.
var replyPrefixes = regexp.MustCompile(`^(?i:(?:re|fwd?|aw|wg|sv|vs|antw|tr|rv)(?:\[\d+\])?\s*:\s*)+`)

// noSubject is the topic of emails without a subject.
const noSubject = "(no subject)"

// Topic returns the topic for an email's subject, which is the same for all replies.
func Topic(subject string) string {
	line := strings.Join(strings.FieldsFunc(strings.ToValidUTF8(subject, " "), func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r) || r >= 0xFDD0 && r <= 0xFDEF || r&0xFFFE == 0xFFFE
	}), " ")
	if line = strings.TrimSpace(replyPrefixes.ReplaceAllString(line, "")); line == "" {
		return noSubject
	}
	return line
}
