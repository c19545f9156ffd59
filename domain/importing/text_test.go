package importing_test

import (
	"slices"
	"strings"
	"testing"
	"testing/quick"
	"unicode/utf8"

	"github.com/stoachat/stoa/domain/importing"
	"github.com/stoachat/stoa/domain/user"
)

func TestSplit(t *testing.T) {
	for _, c := range []struct {
		text  string
		limit int
		want  []string
	}{
		{"", 10, nil},
		{"\n \n", 10, nil},
		{"short", 10, []string{"short"}},
		{"first para\n\nsecond para", 15, []string{"first para", "second para"}},
		{"first line\nsecond line", 15, []string{"first line", "second line"}},
		{"several words here", 14, []string{"several words", "here"}},
		{"ääääääää", 3, []string{"äää", "äää", "ää"}},
		{"a\n\nbbbbbbbbbbbb", 10, []string{"a\n\nbbbbbbb", "bbbbb"}}, // the first paragraph is too short
	} {
		if got := importing.Split(c.text, c.limit); !slices.Equal(got, c.want) {
			t.Errorf("%q: got %q, want %q", c.text, got, c.want)
		}
	}
}

func TestSplitKeepsReferences(t *testing.T) {
	link := importing.MessageLink("42", "a link")
	for before := range 60 {
		text := strings.Repeat("x", before) + link + strings.Repeat("y", 30)
		parts := importing.Split(text, 40)
		if got := len(importing.References(strings.Join(parts, ""))); got != 1 {
			t.Errorf("%d characters before it: %d references in %q", before, got, parts)
		}
		for _, p := range parts {
			if strings.Count(p, "\x00")%2 != 0 {
				t.Errorf("a part contains half of a reference: %q", p)
			}
		}
	}
}

func TestSplitLosesNothing(t *testing.T) {
	words := func(s string) string { return strings.Join(strings.Fields(s), "") }
	check := func(text string, limit uint8) bool {
		text = importing.CleanText(text)
		parts := importing.Split(text, int(limit)+1)
		for _, p := range parts {
			if utf8.RuneCountInString(p) > int(limit)+1 {
				return false
			}
		}
		return words(strings.Join(parts, "")) == words(text)
	}
	if err := quick.Check(check, nil); err != nil {
		t.Error(err)
	}
}

func TestCleanText(t *testing.T) {
	if got := importing.CleanText("a\r\nb\rc\x00d\xed\xa0\x80e"); got != "a\nb\ncde" {
		t.Errorf("got %q", got)
	}
}

func TestReferences(t *testing.T) {
	text := "see " + importing.Mention("U1", "@ada") + " in " + importing.TopicLink("C1", "to\x00p\x1fic", "#x") + "."
	got := importing.Expand(text, func(r importing.Ref) string {
		return "<" + string(r.Kind) + " " + string(r.Key) + " " + r.Detail + " " + r.Fallback + ">"
	})
	if want := "see <person U1  @ada> in <topic C1 top ic #x>."; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestNames(t *testing.T) {
	for _, c := range []struct{ name, want string }{
		{" Ada  Lovelace ", "Ada Lovelace"}, {"a@b", "a b"}, {"**bold**", "bold"}, {"\u202eevil", "evil"}, {"", ""},
		{"\u2800", ""}, {"Ada|7", "Ada"}, {"tab\there", "tabhere"},
	} {
		got := importing.PersonName(c.name)
		if got != c.want {
			t.Errorf("%q: got %q, want %q", c.name, got, c.want)
		}
		if _, err := user.CheckName(got); got != "" && err != nil {
			t.Errorf("%q: %v", got, err)
		}
	}
	if got := importing.PlaceholderName("", "U123"); got != "Unknown U123" {
		t.Errorf("got %q", got)
	}
	if got := importing.PlaceholderName(strings.Repeat("é", 200), "U1"); utf8.RuneCountInString(got) != user.MaxName {
		t.Errorf("got %q", got)
	}
	n := importing.NewNames(10, strings.ToLower, "General")
	for _, c := range [][2]string{{"general", "gener… (2)"}, {"GENERAL", "GENER… (3)"}, {"other", "other"}} {
		if got := n.Take(c[0]); got != c[1] {
			t.Errorf("%q: got %q, want %q", c[0], got, c[1])
		}
	}
}

// FuzzPersonName checks that every name is valid or empty.
func FuzzPersonName(f *testing.F) {
	f.Add("Ada")
	f.Add("x|1|2")
	f.Fuzz(func(t *testing.T, name string) {
		if got := importing.PersonName(name); got != "" {
			if _, err := user.CheckName(got); err != nil {
				t.Errorf("%q: %q: %v", name, got, err)
			}
		}
	})
}

func TestTopicName(t *testing.T) {
	for text, want := range map[string]string{
		"\n\n  first \t line\nsecond":    "first line",
		strings.Repeat("x", 70):          strings.Repeat("x", 59) + "…",
		"\x01":                           "",
		"nul\x00 and\ufffe noncharacter": "nul and noncharacter",
	} {
		if got := importing.TopicName(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestDescribe(t *testing.T) {
	if got, rest := importing.Describe(100, "purpose\n", "", "the topic"); got != "purpose\nthe topic" || rest != "" {
		t.Errorf("got %q, %q", got, rest)
	}
	if got, rest := importing.Describe(5, "purpose"); got != "purp…" || rest != "ose" {
		t.Errorf("got %q, %q", got, rest)
	}
}

func TestEmoji(t *testing.T) {
	isUnicode := func(name string) bool { return name == "smile" }
	for name, want := range map[string]string{
		":Party Parrot:": "party_parrot", "smile": "smile_custom", "::": "", "ünïcode": "n_code",
	} {
		if got := importing.EmojiName(name, isUnicode); got != want {
			t.Errorf("%q: got %q, want %q", name, got, want)
		}
	}
	if base, tone := importing.SkinTone("wave::skin-tone-3"); base != "wave" || tone != '\U0001f3fc' {
		t.Errorf("got %q, %x", base, tone)
	}
}
