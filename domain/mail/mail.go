// Package mail is what the server sends by e-mail. A mail is written down as a letter, by what it is about, in the commit of
// the change that it tells of; its text is made when it is sent, so that no secret waits in a table, and what is no longer true
// is never sent.
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

// Bounds of a mail.
const (
	MaxSubject = 200      // code points
	MaxText    = 64 << 10 // bytes
	MaxHTML    = 256 << 10
	maxID      = 64
)

// Message is a mail to one person, in plain text, and in HTML if there is any.
type Message struct {
	ID      string // the same each time that the mail is sent, so that whoever gets it twice can tell; letters and digits
	To      string // the address alone
	Subject string // one line
	Text    string // lines end with \n
	HTML    string // the same as a page; "": none

	ReplyTo string // an address for answers; "": none

	// Unsubscribe is the address at which the person can unsubscribe from such mails by one click (RFC 8058); "": none.
	Unsubscribe string
}

// Check refuses mails that must not be sent: to what is no address, and with lines in the header that nobody meant to be there.
// Errors: BadRequest.
func (m Message) Check() error {
	to, err := user.CheckEmail(m.To)
	switch {
	case err != nil || to != m.To:
		return errs.Bad("Invalid address")
	case !m.validReplyTo():
		return errs.Bad("Invalid address for replies")
	case m.ID == "" || len(m.ID) > maxID || strings.Trim(m.ID, idChars) != "":
		return errs.Bad("Invalid ID of a mail")
	case m.Subject == "" || utf8.RuneCountInString(m.Subject) > MaxSubject || m.Subject != Line(m.Subject):
		return errs.Bad("Invalid subject")
	case m.Text == "" || len(m.Text) > MaxText || !utf8.ValidString(m.Text) || strings.ContainsFunc(m.Text, hidden):
		return errs.Bad("Invalid text")
	case len(m.HTML) > MaxHTML || !utf8.ValidString(m.HTML) || strings.ContainsFunc(m.HTML, hidden):
		return errs.Bad("Invalid HTML")
	case m.Unsubscribe != "" && !isLink(m.Unsubscribe):
		return errs.Bad("Invalid link to unsubscribe")
	}
	return nil
}

func (m Message) validReplyTo() bool {
	to, err := user.CheckEmail(m.ReplyTo)
	return m.ReplyTo == "" || err == nil && to == m.ReplyTo
}

// isLink reports whether a text can stand in the header of a mail as an address of the web.
func isLink(s string) bool {
	u, err := url.Parse(s)
	return err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Host != "" && !strings.ContainsAny(s, "<> \t\r\n")
}

const idChars = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

func hidden(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }

// Line makes one line of a text: whatever breaks lines, can't be seen, or changes the direction of writing is a space, and what
// mail programs would take for encoded words (=?...?=), in which any of that may hide, is none.
func Line(s string) string {
	return strings.ReplaceAll(words(s), "=?", "= ?")
}

func words(s string) string {
	return strings.Join(strings.FieldsFunc(strings.ToValidUTF8(s, " "), func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp)
	}), " ")
}

// Body gives a text that somebody has written in the form that mails have: lines end with \n, and what can't be seen is left out.
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

// Name gives a name that somebody has chosen in a form that may be told to strangers: one line, not too long, and nothing in it
// that mail programs would make a link of.
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

// Letter is a mail that is to be sent, by what it is about.
type Letter struct {
	Kind string // whose: "invitation", ...
	Ref  int64  // the kind's own: which
}

// Writing is a moment: it runs when a letter is sent, outside of any unit of work, and perhaps again when sending has failed.
// Whoever knows the letter's kind sets the message; nobody does where there is nothing to be told any more, and nothing is sent.
// An error puts the letter off.
type Writing struct {
	Realm   ids.Realm
	Letter  Letter
	Message *Message // its ID is set by the sender
}
