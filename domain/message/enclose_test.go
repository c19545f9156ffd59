package message_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stoachat/stoa/domain/markdown"
	"github.com/stoachat/stoa/domain/message"
)

// TestEnclose checks that a text can neither end the block around it nor extend it. The web client's tests use the same
// file.
func TestEnclose(t *testing.T) {
	b, err := os.ReadFile("testdata/enclosed.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct{ Opening, Text, Want string }
	if err := json.Unmarshal(b, &cases); err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		if got := message.Enclose(c.Opening, c.Text, message.MaxLength); got != c.Want {
			t.Errorf("%q: %q, want %q", c.Text, got, c.Want)
		}
	}
}

// TestEncloseLimit checks that blocks of all texts are complete and not longer than the limit.
func TestEncloseLimit(t *testing.T) {
	nested := ""
	for i := range 40 {
		nested += strings.Repeat("~", 3+i) + "quote\n"
	}
	for _, text := range []string{
		"", "a", strings.Repeat("é", 2000), strings.Repeat("~~~quote\nx\n", 300), nested, nested + nested,
		strings.Repeat("`", 1500), strings.Repeat("~", 900) + "quote\n" + strings.Repeat("~", 800) + "py\nx",
		strings.Repeat("~~~quote\n~~~~py\nx\n~~~~\n", 60),
	} {
		for limit := 60; limit < 1000; limit++ {
			got := message.Enclose("spoiler x", text, limit)
			if utf8.RuneCountInString(got) > limit {
				t.Fatalf("%.40q: %d code points, limit %d", text, utf8.RuneCountInString(got), limit)
			}
			lines := markdown.Lines(got)
			if all := markdown.Blocks(lines, ""); len(all) != 1 || all[0].Close != len(lines)-1 {
				t.Fatalf("%.40q up to %d is %.200q", text, limit, got)
			}
		}
	}
}
