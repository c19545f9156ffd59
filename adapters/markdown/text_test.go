package markdown_test

import (
	"strings"
	"testing"

	md "github.com/stoachat/stoa/domain/markdown"
)

// TestText checks the text of rendered messages as shown in notifications.
func TestText(t *testing.T) {
	for _, c := range []struct{ name, source, want string }{
		{"plain", "one *two* **three** `four`", "one two three four"},
		{"lines and paragraphs", "a\nb\n\nc", "a\nb\nc"},
		{"emoji", "well :smile: 👍", "well 🙂 👍"},
		{"numbers", "3. a\n4. b\n  * c", "3. a\n4. b\n   • c"},
		{"paragraphs in a list", "* a\n\n* b", "• a\n• b"},
		{"code with empty lines", "* x\n\n```\na\n\n\nb\n```", "• x\na\n\n\nb"},
		{"code in a quote", "```quote\n~~~\na\n\nb\n~~~\n```", "> a\n>\n> b"},
		{"deleted", "~~no~~ yes", "~~no~~ yes"},
		{"link", "see [the page](https://x.org)", "see the page"},
		{"list", "* a\n* b", "• a\n• b"},
		{"code", "```\nx := 1\ny\n```", "x := 1\ny"},
		{"formula", "so $$a<b$$", "so a<b"},
		{"quote alone", "> a\n> b", "> a\n> b"},
		{"quote and text", "> a\n\nb", "[…]\nb"},
		{"spoiler", "```spoiler the end\nhe dies\n```", "the end\n(…)"},
		{"table", "|a|b|\n|-|-|\n|c|d|", "a | b\nc | d"},
		{"HTML", "<script>alert(1)</script>", "<script>alert(1)</script>"},
		{"long", strings.Repeat("é", 300), strings.Repeat("é", 200) + "…"},
		{"maximum length", strings.Repeat("é", 200), strings.Repeat("é", 200)},
		{"nothing", "", ""},
	} {
		reader := md.Reader{Limit: 200, Brief: true}
		if got := renderer().Text(render(t, byAnn(c.source)).HTML, reader); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
