package emoji_test

import (
	"bytes"
	"os"
	"strings"
	"testing"
	"unicode"

	"github.com/forPelevin/gomoji"

	"github.com/stoachat/stoa/adapters/emoji"
)

func TestNames(t *testing.T) {
	e := emoji.New()
	for name, want := range map[string]string{
		"thumbs_up": "1f44d", "+1": "1f44d", "kiss": "1f617", "metal": "1f918", "x": "274e", "congratulations": "3297",
		"secret": "1f5dd", "smile": "1f642", "big_smile": "1f604", "heart": "2764", "tada": "1f389", "octopus": "1f419",
		"working_on_it": "1f6e0", "slightly_smiling_face": "1f642", "flag_united_states": "1f1fa-1f1f8", "100": "1f4af",
		"family_man_woman_girl_boy": "1f468-200d-1f469-200d-1f467-200d-1f466",
		"":                          "", "Smile": "", "thumbs_up_light_skin_tone": "", "octocat": "", "no such thing": "",
	} {
		if code, ok := e.Code(name); code != want || ok != (want != "") {
			t.Errorf("Code(%q) = %q, %v; want %q", name, code, ok, want)
		}
	}
	for code, want := range map[string]string{
		"1f44d": "+1", "1f642": "smile", "1f419": "octopus", "1f1fa-1f1f8": "flag_united_states", "1F44D": "", "fffd": "",
		"": "", "1f44d-1f3fb": "",
	} {
		if name, ok := e.Name(code); name != want || ok != (want != "") {
			t.Errorf("Name(%q) = %q, %v; want %q", code, name, ok, want)
		}
	}
}

// Code(name) is the code whose Name is name, for every canonical name.
func TestCanonicalNamesRoundTrip(t *testing.T) {
	e := emoji.New()
	for _, name := range []string{"smile", "+1", "rocket", "flag_germany", "red_heart", "check", "sparkles", "cat_face",
		"cat"} {
		code, ok := e.Code(name)
		if !ok {
			t.Errorf("%s is unknown", name)
			continue
		}
		canonical, _ := e.Name(code)
		if back, _ := e.Code(canonical); back != code {
			t.Errorf("%s is %s, called %s, which is %s", name, code, canonical, back)
		}
	}
}

// Every name that clients send stands for exactly one existing emoji.
func TestClientNames(t *testing.T) {
	text, err := os.ReadFile("names.txt")
	if err != nil {
		t.Fatal(err)
	}
	e, codes, seen, named := emoji.New(), all(), map[string]string{}, 0
	for line := range bytes.Lines(text) {
		words := strings.Fields(string(line))
		if words[0] == "#" {
			continue
		}
		code := words[0]
		if !codes[code] || seen[code] != "" || len(words) < 2 {
			t.Errorf("%q: not an emoji, listed twice, or without a name", line)
			continue
		}
		seen[code] = code
		for _, name := range words[1:] {
			if other := seen[name]; other != "" {
				t.Errorf("%s is %s and %s", name, other, code)
			}
			seen[name] = code
			if got, _ := e.Code(name); got != code {
				t.Errorf("%s is %q, want %s", name, got, code)
			}
			if i := strings.IndexFunc(name, func(r rune) bool {
				return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("_+-", r)
			}); i >= 0 {
				t.Errorf("%s cannot be written between colons", name)
			}
			named++
		}
		if got, _ := e.Name(code); got != words[1] {
			t.Errorf("%s is shown as %s, want %s", code, got, words[1])
		}
	}
	if named < 1000 {
		t.Errorf("only %d names", named)
	}
}

// all returns the codes of all standard emoji.
func all() map[string]bool {
	codes := map[string]bool{}
	for _, e := range gomoji.AllEmojis() {
		codes[strings.ToLower(strings.NewReplacer(" ", "-", "-FE0F", "", " FE0F", "").Replace(e.CodePoint))] = true
	}
	return codes
}

// Code(Name(code)) is code, for every emoji.
func TestAllEmojiRoundTrip(t *testing.T) {
	e := emoji.New()
	for code := range all() {
		if name, ok := e.Name(code); ok {
			if back, _ := e.Code(name); back != code {
				t.Errorf("%s is called %s, which is %s", code, name, back)
			}
		}
	}
}
