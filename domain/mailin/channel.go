package mailin

import (
	"regexp"
	"strings"
	"unicode"
)

// Channel is what an address of a channel says.
type Channel struct {
	Token string   // by which the channel is known
	Asks  []string // what else the address asks for, such as ShowSender
}

// What addresses of channels ask for.
const (
	ShowSender = "show-sender"    // the message says whom the mail is from
	KeepQuotes = "include-quotes" // what the mail quotes at its end stays
	KeepFooter = "include-footer" // likewise its signature
)

// mailbox is the local part: anything, the token, and what is asked for.
var mailbox = regexp.MustCompile(`^(?:.*[^0-9a-z])?([0-9a-f]{32})((?:\.[a-z-]+)*)$`)

// OpenChannel reads an address of a channel at a domain; false for all others.
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

// again are the beginnings of subjects of replies and of mails that are passed on.
var again = regexp.MustCompile(`^(?i:(?:re|fwd?|aw|wg|sv|vs|antw|tr|rv)(?:\[\d+\])?\s*:\s*)+`)

// noSubject is the topic of mails without a subject.
const noSubject = "(no subject)"

// Topic returns the topic for a mail with a subject: the same for all replies.
func Topic(subject string) string {
	line := strings.Join(strings.FieldsFunc(strings.ToValidUTF8(subject, " "), func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r) || r >= 0xFDD0 && r <= 0xFDEF || r&0xFFFE == 0xFFFE
	}), " ")
	if line = strings.TrimSpace(again.ReplaceAllString(line, "")); line == "" {
		return noSubject
	}
	return line
}
