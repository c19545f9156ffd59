package mailin

import (
	"regexp"
	"strings"
	"unicode"
)

// noSubject is the topic of emails without a subject.
const noSubject = "(no subject)"

// Prefixes of the subjects of replies and of forwarded emails, in the languages of mail clients. The rare ones, which
// may also be words of a subject, count only in emails that refer to an earlier one.
const (
	replyWords       = `re|aw|sv|antw|回复|回覆|答复|答覆|返信|답장|회신|השב|תגובה`
	rareReplyWords   = `r|odp|vá|res|rif|atb|ats|αντ|απ|ynt|yan|відп|отв|رد|ตอบ|ตอบกลับ|trả lời|balas|bal`
	forwardWords     = `fwd?|wg|tr|rv|转发|轉寄|轉發|転送|전달|העבר|הועבר`
	rareForwardWords = `i|enc|doorst|vb|vl|pd|tov|továbbítás|ilt|İlt|πρθ|пересл|redir\.?|videresend|ส่งต่อ|` +
		`chuyển tiếp|teruskan|preposlané|přeposláno`
	ambiguousWords = `vs` // a reply in Finnish, a forwarded email in Danish and Norwegian
)

var (
	prefixes       = subjectPrefixes(replyWords, forwardWords, ambiguousWords)
	threadPrefixes = subjectPrefixes(replyWords, rareReplyWords, forwardWords, rareForwardWords, ambiguousWords)

	forwardPrefix   = subjectPrefixes(forwardWords, rareForwardWords)
	ambiguousPrefix = subjectPrefixes(ambiguousWords)
)

func subjectPrefixes(words ...string) *regexp.Regexp {
	return regexp.MustCompile(`^(?i:\s*(?:` + strings.Join(words, "|") + `)(?:\[\d{1,4}\]|\(\d{1,4}\))?\s*[:：]\s*)+`)
}

// Topic returns the topic for the subject of an email, which is the same for all replies. inThread tells whether the
// email refers to an earlier one.
func Topic(subject string, inThread bool) string {
	line := strings.Join(strings.FieldsFunc(strings.ToValidUTF8(subject, " "), func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r) || r >= 0xFDD0 && r <= 0xFDEF || r&0xFFFE == 0xFFFE
	}), " ")
	expr := prefixes
	if inThread {
		expr = threadPrefixes
	}
	if line = strings.TrimSpace(expr.ReplaceAllString(line, "")); line == "" {
		return noSubject
	}
	return line
}

// IsForward reports whether an email forwards another, by the first prefix of its subject.
func (m Mail) IsForward() bool {
	switch subject := strings.TrimSpace(m.Subject); {
	case forwardPrefix.MatchString(subject):
		return true
	case ambiguousPrefix.MatchString(subject):
		return !finnish.MatchString(m.Text)
	}
	return false
}

// finnish matches the header From in emails that a Finnish mail client quotes.
var finnish = regexp.MustCompile(`(?im)^[^\pL]*lähettäjä[^\pL]*:`)
