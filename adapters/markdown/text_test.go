package markdown_test

import (
	"strings"
	"testing"
)

// TestText checks the text of rendered messages as shown in notifications.
func TestText(t *testing.T) {
	for _, c := range []struct{ name, source, want string }{
		{"plain", "one *two* **three** `four`", "one two three four"},
		{"lines and paragraphs", "a\nb\n\nc", "a\nb\nc"},
		{"emoji", "well :smile: 👍", "well 🙂 👍"},
		{"link", "see [the page](https://x.org)", "see the page"},
		{"list", "* a\n* b", "• a\n• b"},
		{"code", "```\nx := 1\ny\n```", "x := 1\ny"},
		{"formula", "so $$a<b$$", "so a<b"},
		{"quote alone", "> a\n> b", "> a\n> b"},
		{"quote and text", "> a\n\nb", "[…]\nb"},
		{"spoiler", "```spoiler the end\nhe dies\n```", "the end\n(…)"},
		{"table", "|a|b|\n|-|-|\n|c|d|", "a b \nc d "},
		{"HTML", "<script>alert(1)</script>", "<script>alert(1)</script>"},
		{"long", strings.Repeat("é", 300), strings.Repeat("é", 200) + "…"},
		{"maximum length", strings.Repeat("é", 200), strings.Repeat("é", 200)},
		{"nothing", "", ""},
	} {
		if got := renderer().Text(render(t, byAnn(c.source)).HTML, 200); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
