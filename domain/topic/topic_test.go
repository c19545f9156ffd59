package topic

import (
	"strings"
	"testing"
)

func TestClean(t *testing.T) {
	long := strings.Repeat("é", 61)
	for _, c := range []struct{ sent, want, refused string }{
		{sent: "  lunch ", want: "lunch"},
		{sent: "Lunch", want: "Lunch"},
		{sent: "", want: ""},
		{sent: " \t ", want: ""},
		{sent: "(no topic)", want: ""},
		{sent: "general chat", want: ""},
		{sent: "General chat", want: "General chat"},
		{sent: long[:120], want: long[:120]},
		{sent: long, want: strings.Repeat("é", 57) + "..."},
		{sent: "a\x00b", refused: "Invalid character in topic, at position 2!"},
		{sent: "é\nb", refused: "Invalid character in topic, at position 2!"},
		{sent: "a\ufdd0", refused: "Invalid character in topic, at position 2!"},
		{sent: "\U0001ffff", refused: "Invalid character in topic, at position 1!"},
		{sent: "abc\xff", refused: "Invalid character in topic, at position 4!"},
		{sent: "a\u200db\ufffd", want: "a\u200db\ufffd"},
		{sent: strings.Repeat("x", 80) + "\x01", refused: "Invalid character in topic, at position 81!"},
	} {
		got, err := Clean(c.sent)
		if got != c.want || message(err) != c.refused {
			t.Errorf("Clean(%q) = %q, %q; want %q, %q", c.sent, got, message(err), c.want, c.refused)
		}
	}
}

func TestCheckPolicy(t *testing.T) {
	const empty = "Sending messages to the general chat is not allowed in this channel."
	const named = "Only the general chat topic is allowed in this channel."
	for _, c := range []struct{ channel, realm, name, refused string }{
		{AllowEmpty, DisableEmpty, "", ""},
		{AllowEmpty, DisableEmpty, "x", ""},
		{DisableEmpty, AllowEmpty, "", empty},
		{DisableEmpty, AllowEmpty, "x", ""},
		{OnlyEmpty, AllowEmpty, "", ""},
		{OnlyEmpty, AllowEmpty, "x", named},
		{Inherit, AllowEmpty, "", ""},
		{Inherit, DisableEmpty, "", empty},
		{"", DisableEmpty, "", empty},
		{Inherit, DisableEmpty, "x", ""},
	} {
		if got := message(CheckPolicy(c.channel, c.realm, c.name)); got != c.refused {
			t.Errorf("CheckPolicy(%q, %q, %q) = %q, want %q", c.channel, c.realm, c.name, got, c.refused)
		}
	}
}

func TestKeyAndResolved(t *testing.T) {
	if Key("✔ LUNCH") != Key("✔ lunch") || Key("a") == Key("b") {
		t.Error("keys must ignore case, and nothing else")
	}
	if strings.Contains(Key("a\x00b"), "\x00") {
		t.Error("keys are stored in databases, which reject NUL")
	}
	if !Resolved(Key("✔ LUNCH")) || Resolved("✔LUNCH") || Resolved("") {
		t.Error("a topic is resolved iff it starts with the mark and a space")
	}
	if Show("", false) != EmptyName || Show("", true) != "" || Show("x", false) != "x" {
		t.Error("only the empty topic has a display name, and only for clients without support for it")
	}
}

func FuzzClean(f *testing.F) {
	for _, s := range []string{"", "lunch", "✔ x", strings.Repeat("é", 70), "\xff"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, sent string) {
		name, err := Clean(sent)
		if err != nil {
			return
		}
		again, err := Clean(name)
		if err != nil || again != name || len([]rune(name)) > MaxLength {
			t.Errorf("Clean(%q) = %q; again %q, %v", sent, name, again, err)
		}
	})
}

func message(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
