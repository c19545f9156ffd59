package inbound

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/emersion/go-message"
	gomail "github.com/emersion/go-message/mail"

	"github.com/stoachat/stoa/domain/mailin"
)

// parts collects the texts and files of an email.
type parts struct {
	texts   []string
	files   []mailin.File
	between []int // per text, the number of files before it
	count   int
	dropped int  // number of files
	rich    bool // has text that was HTML
}

// read reads an entity and those within it. within is the type of the multipart around it. Errors: errMalformed.
func (p *parts) read(e *message.Entity, within string) error {
	if p.count++; p.count > maxParts {
		return errMalformed
	}
	kind, _, _ := e.Header.ContentType() // an invalid type is that of a file
	switch inner := e.MultipartReader(); {
	case inner == nil:
		return p.leaf(e, kind, within)
	case kind == "multipart/alternative":
		return p.alternatives(inner)
	default:
		return each(inner, func(e *message.Entity) error { return p.read(e, kind) })
	}
}

// each calls f for each entity of a multipart, which may lack the line at its end. Errors: errMalformed; those of f.
func each(r message.MultipartReader, f func(*message.Entity) error) error {
	for n := 0; ; n++ {
		e, err := r.NextPart()
		if errors.Is(err, io.EOF) || n > 0 && err != nil && strings.HasSuffix(err.Error(), ": EOF") { // not wrapped
			return nil
		}
		if e == nil || !readable(err) {
			return errMalformed
		}
		if err := f(e); err != nil {
			return err
		}
	}
}

// alternatives reads the forms of one text, and takes the plain text, unless it is blank. It keeps all files: images
// often belong to a form that is not taken.
func (p *parts) alternatives(r message.MultipartReader) error {
	var forms []parts
	err := each(r, func(e *message.Entity) error {
		one := parts{count: p.count}
		err := one.read(e, "multipart/alternative")
		p.count = one.count
		forms = append(forms, one)
		return err
	})
	taken := -1
	for i, form := range forms {
		if !isBlankText(form.text()) && (taken < 0 || forms[taken].rank() > form.rank()) {
			taken = i
		}
	}
	for i, form := range forms {
		if i == taken {
			p.texts, p.between = append(p.texts, form.text()), append(p.between, len(p.files))
		}
		for _, f := range form.files {
			p.add(f)
		}
		p.dropped += form.dropped
	}
	return err
}

// leaf reads an entity that contains no others. Errors: errMalformed.
func (p *parts) leaf(e *message.Entity, kind, within string) error {
	attached := gomail.AttachmentHeader{Header: e.Header}
	name, _ := attached.Filename()                     // the name may be missing
	disposition, _, _ := e.Header.ContentDisposition() // it may be missing
	body, err := io.ReadAll(e.Body)                    // limited by the size of the email
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return errMalformed
	}
	isText := kind == "text/plain" || kind == "text/html" || kind == ""
	switch {
	case isText && disposition != "attachment" && (name == "" || len(p.texts) == 0):
		_, params, _ := e.Header.ContentType()
		p.addText(body, kind, params)
		return nil
	case name == "" && within == "multipart/alternative" && strings.HasPrefix(kind, "text/") && kind != "text/calendar":
		return nil // another form of the text
	}
	f := mailin.File{Name: validText(cmp.Or(name, nameOf(kind))), Type: kind, Data: body}
	if ref := strings.Trim(e.Header.Get("Content-Id"), "<> "); validRef(ref) {
		f.Ref = ref
	}
	p.add(f)
	return nil
}

// nameOf returns a name for a file without one.
func nameOf(kind string) string {
	switch kind {
	case "message/rfc822":
		return "email.eml"
	case "text/calendar":
		return "invitation.ics"
	case "image/jpeg":
		return "image.jpg"
	case "image/png", "image/gif", "image/webp":
		return "image." + strings.TrimPrefix(kind, "image/")
	case "application/pdf":
		return "document.pdf"
	}
	return "attachment"
}

func (p *parts) add(f mailin.File) {
	if len(p.files) == maxFiles {
		p.dropped++
		return
	}
	p.files = append(p.files, f)
}

// addText adds a text, which may be HTML.
func (p *parts) addText(body []byte, kind string, params map[string]string) {
	var text string
	if kind == "text/html" {
		p.count += pageCost - 1
		text = pageText(bytes.NewReader(decodePage(body, params["charset"] != "")))
		p.rich = true
	} else {
		text = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(validText(string(body)))
		if strings.EqualFold(params["format"], "flowed") {
			text = unflow(text, strings.EqualFold(params["delsp"], "yes"))
		}
	}
	if text = strings.Trim(text, "\n"); !isBlankText(text) {
		p.texts, p.between = append(p.texts, text), append(p.between, len(p.files))
	}
}

// text returns the texts joined, without the files between them.
func (p *parts) text() string { return strings.Join(p.texts, "\n\n") }

// rank returns the preference among several forms of a text: plain text first, since its sender has written it as such.
func (p *parts) rank() int {
	if p.rich {
		return 1
	}
	return 0
}

// result returns the text, the files, and the number of further files. Files between texts, and those that HTML
// displays, are marked in the text.
func (p *parts) result() (text string, files []mailin.File, dropped int) {
	known := map[string]bool{}
	for i, f := range p.files {
		if known[f.Ref] {
			p.files[i].Ref = ""
		}
		known[p.files[i].Ref] = true
	}
	all := p.text()
	var lines []string
	before := 0
	for i, text := range p.texts {
		for n := before; n < p.between[i]; n++ {
			f := &p.files[n]
			if f.Ref != "" && (strings.Contains(all, mark(f.Ref)) || strings.Contains(all, possibleMark(f.Ref))) {
				continue
			}
			if f.Ref == "" {
				f.Ref = fmt.Sprintf("attachment-%d", n+1)
			}
			lines = append(lines, mark(f.Ref), "")
		}
		before = p.between[i]
		lines = append(lines, text, "")
	}
	return shorten(resolve(strings.TrimSpace(strings.Join(lines, "\n")), known)), p.files, p.dropped
}

func isBlankText(text string) bool { return strings.TrimSpace(strings.Map(visible, text)) == "" }

// shorten returns a text of at most maxText bytes.
func shorten(text string) string {
	if len(text) <= maxText {
		return text
	}
	return strings.ToValidUTF8(text[:maxText], "") + shortened
}
