package inbound

import (
	"bytes"
	"errors"
	"io"
	"net/mail"
	"regexp"
	"strings"

	"github.com/emersion/go-message"
	gomail "github.com/emersion/go-message/mail"

	"github.com/stoachat/stoa/domain/mailin"
)

// Limits per email.
const (
	maxText  = 256 << 10 // bytes of text
	maxParts = 100
	pageCost = 10 // parts as which HTML counts, since its conversion takes more time
	maxFiles = 10 // more attachments are dropped
	maxDepth = 20 // nesting of multiparts, each of which takes memory while its content is read
)

var errMalformed = errors.New("inbound: malformed mail")

// read parses an email whose size the server has limited. Errors: errMalformed; those of the connection; the server's
// error for an email that is too large.
func read(r io.Reader) (mailin.Mail, error) {
	all, err := io.ReadAll(r)
	if err != nil {
		return mailin.Mail{}, err
	}
	if tooDeep(all) {
		return mailin.Mail{}, errMalformed
	}
	e, err := message.Read(bytes.NewReader(all))
	if e == nil || !readable(err) {
		return mailin.Mail{}, errMalformed
	}
	h := gomail.Header{Header: e.Header}
	out := mailin.Mail{Automatic: isAutomatic(h), Listed: isBulk(h)}
	out.InThread = strings.TrimSpace(h.Get("In-Reply-To")+h.Get("References")) != ""
	out.ID, _ = h.MessageID() // treat an unreadable ID as missing
	out.Subject = subject(h)
	from, err := sender(h)
	if err != nil {
		return out, err
	}
	out.From, out.FromName = from.Address, from.Name
	var p parts
	if err := p.read(e, ""); err != nil {
		return out, err
	}
	out.Text, out.Files, out.Dropped = p.result()
	return out, nil
}

// readable reports whether an entity can be read despite an error. Its text is decoded later.
func readable(err error) bool {
	return err == nil || message.IsUnknownCharset(err) || message.IsUnknownEncoding(err)
}

// subject returns the subject, also if it is not encoded as it should be.
func subject(h gomail.Header) string {
	text, err := h.Subject()
	if err != nil {
		text = h.Get("Subject")
	}
	return validText(text)
}

// addressOnly matches the only address of a header, with a name that is not quoted as it should be.
var addressOnly = regexp.MustCompile(`^([^<>]*)<([^<>\s]+@[^<>\s]+)>\s*$`)

// sender returns the only author of an email. Errors: errMalformed.
func sender(h gomail.Header) (*mail.Address, error) {
	all, err := h.AddressList("From")
	if err == nil && len(all) == 1 {
		return &mail.Address{Address: all[0].Address, Name: validText(all[0].Name)}, nil
	}
	found := addressOnly.FindStringSubmatch(h.Get("From"))
	if err == nil || found == nil || len(h.Values("From")) != 1 {
		return nil, errMalformed
	}
	address, err := mail.ParseAddress(found[2])
	if err != nil {
		return nil, errMalformed
	}
	name, err := h.Text("From")
	if err != nil {
		name = found[1]
	}
	name, _, _ = strings.Cut(name, "<")
	return &mail.Address{Address: address.Address, Name: validText(strings.Trim(name, ` "`))}, nil
}

// tooDeep reports whether the nesting of an email's parts may exceed maxDepth.
func tooDeep(all []byte) bool {
	const multipart = "multipart/"
	n := 0
	for n <= maxDepth {
		i := bytes.IndexByte(all, '/')
		if i < 0 {
			return false
		}
		if begin := i + 1 - len(multipart); begin >= 0 && strings.EqualFold(string(all[begin:i+1]), multipart) {
			n++
		}
		all = all[i+1:]
	}
	return true
}

// isAutomatic reports whether an email was generated automatically (RFC 3834 and earlier conventions).
func isAutomatic(h gomail.Header) bool {
	if by := strings.ToLower(strings.TrimSpace(h.Get("Auto-Submitted"))); by != "" && by != "no" {
		return true
	}
	for _, name := range []string{"X-Autoreply", "X-Autorespond"} {
		if h.Has(name) {
			return true
		}
	}
	return precedence(h) == "auto_reply" || strings.TrimSpace(h.Get("Return-Path")) == "<>"
}

// isBulk reports whether an email is bulk mail.
func isBulk(h gomail.Header) bool {
	switch precedence(h) {
	case "bulk", "junk", "list":
		return true
	}
	return h.Has("List-Id") || h.Has("List-Unsubscribe")
}

func precedence(h gomail.Header) string {
	return strings.ToLower(strings.TrimSpace(h.Get("Precedence")))
}
