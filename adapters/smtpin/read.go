package smtpin

import (
	"bytes"
	"errors"
	"io"
	"strings"

	"github.com/emersion/go-message"
	_ "github.com/emersion/go-message/charset" // reads texts that are not in UTF-8
	"github.com/emersion/go-message/mail"

	"github.com/stoachat/stoa/domain/mailin"
)

// Limits of what is read of a mail.
const (
	maxText  = 256 << 10 // bytes of its text
	maxParts = 100
	maxDepth = 20 // parts that hold others: each costs memory while what is in it is read
)

var errMalformed = errors.New("smtpin: malformed mail")

// read reads a mail, all of which is never larger than the server allows. Errors: errMalformed; those of the connection,
// and the server's for a mail that is too large.
func read(r io.Reader) (mailin.Mail, error) {
	all, err := io.ReadAll(r)
	if err != nil {
		return mailin.Mail{}, err
	}
	if deep(all) {
		return mailin.Mail{}, errMalformed
	}
	m, err := mail.CreateReader(bytes.NewReader(all))
	if m == nil || err != nil && !message.IsUnknownCharset(err) {
		return mailin.Mail{}, errMalformed
	}
	defer func() { _ = m.Close() }()
	out := mailin.Mail{Automatic: automatic(m.Header)}
	out.ID, _ = m.Header.MessageID() // one that can't be read is none
	from, err := m.Header.AddressList("From")
	if err != nil || len(from) != 1 {
		return out, errMalformed
	}
	out.From = from[0].Address
	for range maxParts {
		part, err := m.NextPart()
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if part == nil || err != nil && !message.IsUnknownCharset(err) {
			return out, errMalformed
		}
		header, inline := part.Header.(*mail.InlineHeader)
		if !inline {
			out.Attachments++
			continue
		}
		kind, _, _ := header.ContentType()
		if kind != "text/plain" && kind != "" || out.HasText {
			continue
		}
		text, err := io.ReadAll(io.LimitReader(part.Body, maxText))
		if err != nil {
			return out, errMalformed
		}
		out.HasText, out.Text = true, strings.ToValidUTF8(string(text), "\uFFFD")
	}
	return out, errMalformed
}

// deep reports whether a mail may hold parts within parts more than maxDepth deep.
func deep(all []byte) bool {
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

// automatic reports whether a program has sent a mail by itself (RFC 3834, and what came before it).
func automatic(h mail.Header) bool {
	if by := strings.ToLower(strings.TrimSpace(h.Get("Auto-Submitted"))); by != "" && by != "no" {
		return true
	}
	switch strings.ToLower(strings.TrimSpace(h.Get("Precedence"))) {
	case "bulk", "junk", "list", "auto_reply":
		return true
	}
	for _, name := range []string{"List-Id", "List-Unsubscribe", "X-Autoreply", "X-Autorespond"} {
		if h.Has(name) {
			return true
		}
	}
	return strings.TrimSpace(h.Get("Return-Path")) == "<>"
}
