package push_test

import (
	"fmt"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
)

// TestTexts checks the texts of notifications: spoilers are hidden, links and pictures have names, and each reader gets
// local times.
func TestTexts(t *testing.T) {
	w := startBrowsers(t, kittest.Memory)
	for who, zone := range map[string]string{"bob": "Asia/Tokyo", "olga": "America/New_York", "adam": "Asia/Tokyo"} {
		w.subscribe(who, w.browser("/"+who))
		w.As(who).Do("PATCH /settings", "timezone", zone).OK()
	}
	w.As("adam").Do("PATCH /settings", "default_language", "de").OK()
	to := fmt.Sprintf("[%d,%d,%d]", w.UserID("bob"), w.UserID("olga"), w.UserID("adam"))
	for _, c := range []struct{ content, bob, olga, adam string }{
		{"```spoiler The end\nhe dies https://x.org/dead.png\n```\nx", "The end\n(…)\nx", "", ""},
		{"~~~spoiler `a`\nhe dies\n~~~", "a\n(…)", "", ""},
		{"see [wiki](https://wiki.example/p/9) https://x.org", "see wiki https://x.org", "", ""},
		{"https://x.org/a.png", "https://x.org/a.png", "", ""},
		{"at <time:2026-06-01T17:30:00Z>", "at 2 June 2026, 02:30 JST", "at 1 June 2026, 13:30 EDT",
			"at 2. Juni 2026, 02:30 JST"},
		{"/me waves", "Alice waves", "", ""},
		{"> old\n\nnew", "[…]\nnew", "", ""},
		{"|a|b|\n|-|-|\n|c|d|", "a | b\nc | d", "", ""},
	} {
		w.As("alice").Do("POST /messages", "type", "direct", "to", to, "content", c.content).OK()
		got, _ := w.sent()
		if len(got) != 3 {
			t.Fatalf("%q: %d notifications", c.content, len(got))
		}
		for _, m := range got {
			want := map[string]string{"/bob": c.bob, "/olga": c.olga, "/adam": c.adam}[m.path]
			if want == "" {
				want = c.bob
			}
			if m.payload.Content != want {
				t.Errorf("%s: %q is shown as %q, want %q", m.path, c.content, m.payload.Content, want)
			}
		}
	}
}
