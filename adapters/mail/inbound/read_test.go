package inbound

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"
)

// FuzzRead checks that read returns only its documented errors and respects its limits, whatever the email.
func FuzzRead(f *testing.F) {
	for _, mail := range []string{
		"", "From: a@example.com\r\n\r\nhello\r\n", "From: a@example.com\r\nSubject: =?utf-8?q?=ff?=\r\n\r\n",
		"From: A <a@example.com>\nContent-Type: text/html; charset=utf-16\n\n<p>x",
		"From: a@example.com\nContent-Type: text/plain; format=flowed; delsp=yes\n\n> a \n> b\nc \nd\n-- \ne",
		"From: a@example.com\nContent-Type: multipart/related; boundary=b\n\n--b\nContent-Type: text/html\n\n" +
			"<img src=cid:1><table><tr><td>x</table>\n--b\nContent-Type: image/png\nContent-ID: <1>\n\nx\n--b--\n",
		"From: a@example.com\nContent-Type: multipart/alternative; boundary=b\n\n--b\n\n \n--b\n" +
			"Content-Type: text/html\n\n<p>x",
		"From: a@example.com\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b\n\n--b\n\nx\n--b\n" +
			"Content-Type: text/html\n\n<b>x</b>\n--b\nContent-Disposition: attachment; filename*=utf-8''%ff\n" +
			"Content-Transfer-Encoding: base64\n\n!!!\n--b--\n",
		"From: a@example.com\nContent-Type: multipart/mixed\n\n", "From: a@example.com, b@example.com\n\nx",
		"From: a@example.com\nAuto-Submitted: auto-replied\nContent-Transfer-Encoding: quoted-printable\n\n=3D=\n=ZZ",
	} {
		f.Add(mail)
	}
	for name, page := range hostilePages() {
		f.Add("From: a@example.com\nContent-Type: text/html\nSubject: " + name + "\n\n" + page[:4000])
	}
	f.Fuzz(func(t *testing.T, text string) {
		m, err := read(strings.NewReader(text))
		if err != nil {
			return
		}
		if strings.Count(m.From, "@") == 0 || !utf8.ValidString(m.Text) || len(m.Text) > 3*maxText ||
			len(m.Files) > maxFiles {
			t.Errorf("%d files, text of %d bytes, from %q", len(m.Files), len(m.Text), m.From)
		}
		for _, one := range m.Files {
			if !utf8.ValidString(one.Name) || one.Name == "" || len(one.Data) > 2*len(text) {
				t.Errorf("a file %q of %d bytes", one.Name, len(one.Data))
			}
		}
	})
}

// TestManyPages checks that an email cannot contain many pages, whose conversion takes time.
func TestManyPages(t *testing.T) {
	const head = "From: a@example.com\nContent-Type: multipart/mixed; boundary=b\n\n"
	const page = "--b\nContent-Type: text/html\n\nx\n"
	for n, want := range map[int]error{5: nil, 20: errMalformed} {
		if _, err := read(strings.NewReader(head + strings.Repeat(page, n) + "--b--\n")); !errors.Is(err, want) {
			t.Errorf("%d pages: %v, want %v", n, err, want)
		}
	}
}
