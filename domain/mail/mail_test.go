package mail_test

import (
	"strings"
	"testing"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/mail"
)

func TestCheck(t *testing.T) {
	good := mail.Message{ID: "a1", To: "eve@example.com", Subject: "Ünïcode", Text: "One\n.\n\tTwo ✓\n"}
	if err := good.Check(); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*mail.Message){
		"no address":              func(m *mail.Message) { m.To = "" },
		"a line in the address":   func(m *mail.Message) { m.To = "eve@example.com\r\nBcc: all@example.com" },
		"two addresses":           func(m *mail.Message) { m.To = "eve@example.com,all@example.com" },
		"parameters of SMTP":      func(m *mail.Message) { m.To = "eve@example.com> NOTIFY=SUCCESS" },
		"a quoted local part":     func(m *mail.Message) { m.To = `"eve> ORCPT=x"@example.com` },
		"spaces around":           func(m *mail.Message) { m.To = " eve@example.com" },
		"no subject":              func(m *mail.Message) { m.Subject = "" },
		"a line in the subject":   func(m *mail.Message) { m.Subject = "a\nBcc: all@example.com" },
		"a return in the subject": func(m *mail.Message) { m.Subject = "a\rBcc: all@example.com" },
		"another separator":       func(m *mail.Message) { m.Subject = "a\u2028b" },
		"a turned subject":        func(m *mail.Message) { m.Subject = "a\u202eb" },
		"an encoded subject":      func(m *mail.Message) { m.Subject = "=?utf-8?q?a=0ABcc:_all?=" },
		"a long subject":          func(m *mail.Message) { m.Subject = strings.Repeat("ä", 201) },
		"no text":                 func(m *mail.Message) { m.Text = "" },
		"a return in the text":    func(m *mail.Message) { m.Text = "a\r\n.\r\nMAIL FROM:<x@example.com>" },
		"a zero":                  func(m *mail.Message) { m.Text = "a\x00" },
		"no UTF-8":                func(m *mail.Message) { m.Text = "a\xff" },
		"a long text":             func(m *mail.Message) { m.Text = strings.Repeat("a", mail.MaxText+1) },
		"no id":                   func(m *mail.Message) { m.ID = "" },
		"an id with an end":       func(m *mail.Message) { m.ID = "a>b" },
	} {
		m := good
		change(&m)
		if err := m.Check(); !errs.Is(err, errs.BadRequest) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestName(t *testing.T) {
	for in, want := range map[string]string{
		"Alice":                          "Alice",
		" Dr. A. Smith ":                 "Dr. A. Smith",
		"Ünïcode ✓":                      "Ünïcode ✓",
		"see https://evil.example/x":     "see https evil. example x",
		"www.evil.example":               "www. evil. example",
		"mail eve@evil.example":          "mail eve evil. example",
		"a\r\nBcc: all":                  "a Bcc all",
		"\u202egnp.exe":                  "gnp. exe",
		"=?utf-8?q?a=0Ab?=":              "= ?utf-8?q?a=0Ab?=",
		"\u200b":                         "",
		strings.Repeat("a", 70):          strings.Repeat("a", 59) + "…",
		"a\xffb":                         "a b",
		strings.Repeat("x ", 3) + "\x00": "x x x",
	} {
		got := mail.Name(in)
		if got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
		if again := mail.Name(got); again != got {
			t.Errorf("%q: %q, and again %q", in, got, again)
		}
	}
}

func TestBody(t *testing.T) {
	for in, want := range map[string]string{
		"":                            "",
		" \r\n\t ":                    "",
		"Thank you.\r\n\r\nAlice\r\n": "Thank you.\n\nAlice",
		"one\rtwo\u2028three":         "one\ntwo\nthree",
		"a\x00b\x1b[1mc\td":           "ab[1mc\td",
		"a\xffb":                      "a b",
		".\nMAIL FROM:<x@y>":          ".\nMAIL FROM:<x@y>",
	} {
		got := mail.Body(in)
		if got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
		if got != "" {
			if err := (mail.Message{ID: "a", To: "eve@example.com", Subject: "s", Text: got}).Check(); err != nil {
				t.Errorf("%q: %v", in, err)
			}
		}
	}
}
