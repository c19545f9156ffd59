package smtpin

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"strings"

	"github.com/emersion/go-message"
	_ "github.com/emersion/go-message/charset" // decodes texts that are not in UTF-8
	"github.com/emersion/go-message/mail"

	"github.com/stoachat/stoa/domain/mailin"
)

// Limits per email.
const (
	maxText  = 256 << 10 // bytes of text
	maxParts = 100
	maxFiles = 10 // more attachments are dropped
	maxDepth = 20 // nesting of multiparts, each of which takes memory while its content is read
)

var errMalformed = errors.New("smtpin: malformed mail")

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
	m, err := mail.CreateReader(bytes.NewReader(all))
	if m == nil || err != nil && !message.IsUnknownCharset(err) {
		return mailin.Mail{}, errMalformed
	}
	defer func() { _ = m.Close() }()
	out := mailin.Mail{Automatic: isAutomatic(m.Header), Listed: isBulk(m.Header)}
	out.ID, _ = m.Header.MessageID() // treat unreadable headers as missing
	out.Subject, _ = m.Header.Subject()
	from, err := m.Header.AddressList("From")
	if err != nil || len(from) != 1 {
		return out, errMalformed
	}
	out.From, out.FromName = from[0].Address, from[0].Name
	for range maxParts {
		part, err := m.NextPart()
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if part == nil || err != nil && !message.IsUnknownCharset(err) {
			return out, errMalformed
		}
		if err := add(&out, part); err != nil {
			return out, errMalformed
		}
	}
	return out, errMalformed
}

// add adds a part's content to out: the first plain text, or else the first HTML, and files.
func add(out *mailin.Mail, part *mail.Part) error {
	var file mailin.File
	switch h := part.Header.(type) {
	case *mail.AttachmentHeader:
		file.Name, _ = h.Filename()       // the name may be missing
		file.Type, _, _ = h.ContentType() // the type may be missing or invalid
	case *mail.InlineHeader:
		kind, params, _ := h.ContentType()
		switch {
		case (kind == "text/plain" || kind == "") && !out.HasText:
			text, err := io.ReadAll(io.LimitReader(part.Body, maxText))
			out.HasText, out.Text = true, strings.ToValidUTF8(string(text), "\uFFFD")
			return err
		case kind == "text/html" && !out.HasText && out.Text == "":
			out.Text = strings.ToValidUTF8(pageText(io.LimitReader(part.Body, maxText)), "\uFFFD")
			return nil
		}
		if file.Type, file.Name = kind, params["name"]; strings.HasPrefix(kind, "text/") || file.Name == "" {
			return nil // an alternative form of the text, or part of the HTML
		}
	}
	if len(out.Files) == maxFiles {
		return nil
	}
	var err error
	file.Name = strings.ToValidUTF8(cmp.Or(file.Name, "attachment"), "\uFFFD")
	file.Data, err = io.ReadAll(part.Body) // limited by the size of the email
	out.Files = append(out.Files, file)
	return err
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
func isAutomatic(h mail.Header) bool {
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
func isBulk(h mail.Header) bool {
	switch precedence(h) {
	case "bulk", "junk", "list":
		return true
	}
	return h.Has("List-Id") || h.Has("List-Unsubscribe")
}

func precedence(h mail.Header) string { return strings.ToLower(strings.TrimSpace(h.Get("Precedence"))) }
