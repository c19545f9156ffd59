package channel

import "testing"

func TestMailbox(t *testing.T) {
	for name, want := range map[string]string{
		"general": "general.t.show-sender", "Sales & Support": "sales-support.t.show-sender", " -x- ": "x.t.show-sender",
		"Über uns": "t.show-sender", "日本": "t.show-sender", "!!!": "t.show-sender", "v2": "v2.t.show-sender",
		"a@b\r\nc": "a-b-c.t.show-sender",
	} {
		if got := Mailbox(name, "t"); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}
