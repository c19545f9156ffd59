// Package mail describes outgoing email. The commit of a change stores a letter, a reference to its subject; the text
// is composed when the email is sent, so that no secrets wait in a table and outdated information is not sent.
package mail

import (
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/ids"
	"github.com/stoachat/stoa/domain/user"
)

// Limits on an email.
const (
	MaxSubject = 200      // code points
	MaxText    = 64 << 10 // bytes
	MaxHTML    = 256 << 10
	maxID      = 64
)

// Message is an email to one user, in plain text and optionally in HTML.
type Message struct {
	ID      string // letters and digits; the same on every attempt, so that duplicates can be recognized
	To      string // bare address
	Subject string // one line
	Text    string // lines end with \n
	HTML    string // the same content in HTML; "": none

	ReplyTo string // address for replies; "": none

	// Unsubscribe is the URL for one-click unsubscription from such emails (RFC 8058); "": none.
	Unsubscribe string
}

// Check refuses invalid messages: bad addresses, or line breaks that would inject headers. Errors: BadRequest.
func (m Message) Check() error {
	to, err := user.CheckEmail(m.To)
	switch {
	case err != nil || to != m.To:
		return errs.Bad("Invalid address")
	case !m.validReplyTo():
		return errs.Bad("Invalid address for replies")
	case m.ID == "" || len(m.ID) > maxID || strings.Trim(m.ID, idChars) != "":
		return errs.Bad("Invalid ID of an email")
	case m.Subject == "" || utf8.RuneCountInString(m.Subject) > MaxSubject || m.Subject != Line(m.Subject):
		return errs.Bad("Invalid subject")
	case m.Text == "" || len(m.Text) > MaxText || !utf8.ValidString(m.Text) || strings.ContainsFunc(m.Text, hidden):
		return errs.Bad("Invalid text")
	case len(m.HTML) > MaxHTML || !utf8.ValidString(m.HTML) || strings.ContainsFunc(m.HTML, hidden):
		return errs.Bad("Invalid HTML")
	case m.Unsubscribe != "" && !isLink(m.Unsubscribe):
		return errs.Bad("Invalid unsubscribe link")
	}
	return nil
}

func (m Message) validReplyTo() bool {
	to, err := user.CheckEmail(m.ReplyTo)
	return m.ReplyTo == "" || err == nil && to == m.ReplyTo
}

// isLink reports whether a text may appear in a header as a web URL.
func isLink(s string) bool {
	u, err := url.Parse(s)
	return err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Host != "" &&
		!strings.ContainsAny(s, "<> \t\r\n")
}

const idChars = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

func hidden(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }

// Line turns a text into one line: line breaks, invisible characters and bidirectional controls become spaces, and
// the markers of encoded words (=?...?=), which could hide any of these, are broken up.
func Line(s string) string {
	return strings.ReplaceAll(words(s), "=?", "= ?")
}

func words(s string) string {
	return strings.Join(strings.FieldsFunc(strings.ToValidUTF8(s, " "), func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp)
	}), " ")
}

// Body normalizes user text for an email: lines end with \n, and control characters are removed.
func Body(s string) string {
	s = strings.ReplaceAll(strings.ToValidUTF8(s, " "), "\r\n", "\n")
	s = strings.Map(func(r rune) rune {
		switch {
		case r == '\r', r == '\u2028', r == '\u2029':
			return '\n'
		case hidden(r):
			return -1
		}
		return r
	}, s)
	return strings.TrimSpace(s)
}

// Name makes a user-chosen name safe to send to strangers: one short line without anything that email clients would
// turn into a link.
func Name(s string) string {
	var b strings.Builder
	runes := []rune(Line(s))
	for i, r := range runes {
		switch {
		case r == '/' || r == ':' || r == '@' || r == '\\':
			r = ' '
		case r == '.' && i+1 < len(runes) && !unicode.IsSpace(runes[i+1]):
			b.WriteRune(r)
			r = ' '
		}
		b.WriteRune(r)
	}
	short := []rune(Line(b.String()))
	if len(short) > maxName {
		short = append(short[:maxName-1], '…')
	}
	return string(short)
}

const maxName = 60

// Letter is an email to be sent, as a reference to its subject.
type Letter struct {
	Kind string // identifies the module that composes it: "invitation", ...
	Ref  int64  // identifies the subject within the kind
}

// Composition is a query for the email that a letter refers to, asked of all modules when the letter is sent, outside
// of any unit of work, and again if sending failed. The module of the letter's kind returns a *Message without an ID,
// or nil if there is no longer anything to send; the others return nil. An error postpones the letter.
type Composition struct {
	Realm  ids.Realm
	Letter Letter
}
