package mailin

import (
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"strings"
)

// Mail is an email that has come in.
type Mail struct {
	ID        string // its Message-ID, if it has one
	From      string // the address in the header
	FromName  string
	Subject   string
	Automatic bool   // a program answers, or tells of a failure: a notice of absence, a bounce
	Listed    bool   // it has gone to many: a mailing list, an advertisement
	Text      string // the plain text, or else the text of the page
	HasText   bool   // there is a part in plain text
	Files     []File
}

// File is a file that is attached to an email.
type File struct {
	Name, Type string // as the mail says: any text
	Data       []byte
}

// Key identifies a mail among those to an address, so that one that is handed over twice is known again. "": it has no
// ID.
func (m Mail) Key(to string) string {
	if m.ID == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(strings.ToLower(to) + " " + m.ID))
	return "email " + hex.EncodeToString(sum[:])
}

var (
	// original begins a message that a mail program has copied below the reply.
	original = regexp.MustCompile(`^\s*(-{3,} ?[\pL ]+ ?-{3,}|_{20,})\s*$`)
	// sender and sent are the first lines of such a copy.
	sender = regexp.MustCompile(`^\*?From:\*? .*\S`)
	sent   = regexp.MustCompile(`^\*?(Sent|Date|To):\*? .*\S`)
)

// attribution is how many lines above a quotation may say whom it is from.
const attribution = 3

// Reply returns what somebody has written in a reply: without what it quotes at its end, and without a signature.
// Quotations between their own words stay.
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

// withoutAttribution cuts the paragraph that introduces a quotation, if it is as short as these are.
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
