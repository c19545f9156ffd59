package mailin

import (
	"strings"
	"testing"

	"github.com/stoachat/stoa/domain/linkkey"
)

func TestAddress(t *testing.T) {
	s := linkkey.Secret("secret")
	a := Address(s, 123456, "chat.example.com")
	if id, ok := Open(s, strings.ToUpper(a), "chat.example.com"); !ok || id != 123456 {
		t.Errorf("%s: %d, %v", a, id, ok)
	}
	if local, _, _ := strings.Cut(Address(s, 1<<62, "x"), "@"); len(local) > 64 {
		t.Errorf("%s is longer than mail allows", local)
	}
	for _, bad := range []string{
		"", "@", a + "x", strings.Replace(a, "reply+", "reply+1", 1), strings.Replace(a, "@chat", "@char", 1),
		strings.Replace(a, "reply+", "", 1), "reply+1-@chat.example.com", "reply+-1-x@chat.example.com",
		Address(linkkey.Secret("other"), 123456, "chat.example.com"), strings.Repeat("x", 5000) + a,
	} {
		if id, ok := Open(s, bad, "chat.example.com"); ok {
			t.Errorf("%.80q opens %d", bad, id)
		}
	}
}

func TestReply(t *testing.T) {
	for text, want := range map[string]string{
		"":                      "",
		"yes":                   "yes",
		"yes\r\n\r\n-- \r\nBob": "yes",
		"> all\n> quoted":       "",
		"a\n> why?\nbecause\n":  "a\n> why?\nbecause",
		"yes\n\nOn Mon, Alice <a@example.com> wrote:\n> a\n>\n> b\n":   "yes",
		"yes\n\nOn Mon, 1 June 2026 at 12:00,\nAlice wrote:\n\n> a":    "yes",
		"the list:\n- one\n- two":                                      "the list:\n- one\n- two",
		"yes\n\n-----Original Message-----\nFrom: Alice":               "yes",
		"yes\n________________________________\nFrom: Alice\nSent: x":  "yes",
		"yes\n\nFrom: Alice <a@example.com>\nSent: Monday\n\nold text": "yes",
		"From: the beginning\nI wrote this":                            "From: the beginning\nI wrote this",
		"a\nb\nc\nd:\n> x":                                             "a\nb\nc\nd:",
	} {
		if got := Reply(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestOpenChannel(t *testing.T) {
	const token, domain = "0123456789abcdef0123456789abcdef", "in.example.com"
	for address, asks := range map[string]string{
		"general." + token + ".show-sender@in.example.com":                  "show-sender",
		"GENERAL." + strings.ToUpper(token) + ".SHOW-SENDER@IN.example.com": "show-sender",
		token + "@in.example.com":                                           "",
		"chat+" + token + ".show-sender.include-quotes@in.example.com":      "show-sender include-quotes",
	} {
		got, ok := OpenChannel(address, domain)
		if !ok || got.Token != token || strings.Join(got.Options, " ") != asks {
			t.Errorf("%s: %+v %v", address, got, ok)
		}
	}
	for _, bad := range []string{
		"", "@", "@in.example.com", "general@in.example.com", token + "@example.com", token[1:] + "@in.example.com",
		"a" + token + "@in.example.com", token + "x@in.example.com", token + ".x y@in.example.com",
		strings.Repeat("x", 5000) + "." + token + "@in.example.com",
	} {
		if got, ok := OpenChannel(bad, domain); ok {
			t.Errorf("%.80q opens %+v", bad, got)
		}
	}
}

func TestTopic(t *testing.T) {
	for subject, want := range map[string]string{
		"": "(no subject)", "  Re: ": "(no subject)", "Lunch": "Lunch", "RE: Fwd: AW[2]: Lunch": "Lunch",
		"Re:Lunch\r\n today": "Lunch today", "回复：午餐": "午餐", "Re(2): Lunch": "Lunch",
		"Regarding: lunch": "Regarding: lunch", "a\x00b\xffc\ufdd0d": "a b c d", "R: a language": "R: a language",
	} {
		if got := Topic(subject, false); got != want {
			t.Errorf("%q: %q, want %q", subject, got, want)
		}
	}
	for _, subject := range []string{"R: Lunch", "I: Lunch", "RES: Lunch", "YNT: İLT: Lunch", "ΑΠ: Lunch", "Odp: Lunch"} {
		if got := Topic(subject, true); got != "Lunch" {
			t.Errorf("%q in a thread: %q", subject, got)
		}
	}
}

func TestIsForward(t *testing.T) {
	for subject, want := range map[string]bool{
		"Fwd: x": true, "FW: Re: x": true, "WG: x": true, "TR: x": true, "RV: x": true, "I: x": true, "ENC: x": true,
		"VB: x": true, "VS: x": true, "PD: x": true, "İLT: x": true, "转发：x": true, "Re: Fwd: x": false, "x": false,
		"Forward: x": false, "R: x": false,
	} {
		if got := (Mail{Subject: subject}).IsForward(); got != want {
			t.Errorf("%s: %v", subject, got)
		}
	}
	if (Mail{Subject: "VS: x", Text: "joo\n\nLähettäjä: Alice\nLähetetty: 1.6.2026"}).IsForward() {
		t.Error("a reply in Finnish counts as forwarded")
	}
}
