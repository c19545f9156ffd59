package mailin

import (
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"strings"
)

// Mail is an incoming email.
type Mail struct {
	ID        string // Message-ID, if any
	From      string // from the header
	FromName  string
	Subject   string
	Automatic bool   // sent by a program: an auto-reply, a bounce
	Listed    bool   // bulk mail: a mailing list, an advertisement
	Text      string // the plain text, or else the text of the HTML
	HasText   bool   // has a plain-text part
	Files     []File
}

// File is an attachment.
type File struct {
	Name, Type string // as given in the email, unchecked
	Data       []byte
}

// Key returns a key that identifies an email to an address, for detecting repeated deliveries. It is "" if the email
// has no ID.
func (m Mail) Key(to string) string {
	if m.ID == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(strings.ToLower(to) + " " + m.ID))
	return "email " + hex.EncodeToString(sum[:])
}

var (
	// original matches the separator above a message that an email program copied below the reply.
	original = regexp.MustCompile(`^\s*(-{3,} ?[\pL ]+ ?-{3,}|_{20,})\s*$`)
	// sender and sent match the first lines of such a copy.
	sender = regexp.MustCompile(`^\*?From:\*? .*\S`)
	sent   = regexp.MustCompile(`^\*?(Sent|Date|To):\*? .*\S`)
)

// attribution is the maximum number of lines that introduce a quotation.
const attribution = 3

// Reply returns the text of a reply without the quotation at its end and the signature. Quotations between the
// sender's own words are kept.
func Reply(text string) string {
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		copied := sender.MatchString(line) && i+1 < len(lines) && sent.MatchString(lines[i+1])
		if line == "-- " || line == "--" || copied || original.MatchString(line) {
			lines = lines[:i]
			break
		}
	}
	lines = trimEnd(lines)
	quoted := false
	for len(lines) > 0 && strings.HasPrefix(lines[len(lines)-1], ">") {
		lines, quoted = trimEnd(lines[:len(lines)-1]), true
	}
	if quoted && len(lines) > 0 && strings.HasSuffix(strings.TrimSpace(lines[len(lines)-1]), ":") {
		lines = withoutAttribution(lines)
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}

// withoutAttribution removes the paragraph that introduces a quotation: all of it if it is short, otherwise its last
// line.
func withoutAttribution(lines []string) []string {
	begin := len(lines)
	for begin > 0 && strings.TrimSpace(lines[begin-1]) != "" {
		begin--
	}
	if len(lines)-begin > attribution {
		begin = len(lines) - 1
	}
	return lines[:begin]
}

func trimEnd(lines []string) []string {
	for len(lines) > 0 && strings.TrimSpace(lines[len(lines)-1]) == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}
