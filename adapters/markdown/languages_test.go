package markdown_test

import (
	"fmt"
	"html"
	"strings"
	"testing"

	md "github.com/stoachat/stoa/domain/markdown"

	"github.com/stoachat/stoa/adapters/markdown/languages"
)

// named renders a code block in each language, and returns the language names shown to clients.
func named(t *testing.T, words []string) []string {
	t.Helper()
	var b strings.Builder
	b.WriteString("```\n" + strings.Repeat("much code, so that none of it is highlighted\n", 300) + "```\n")
	for _, w := range words {
		b.WriteString("```" + w + "\nx\n```\n")
	}
	const mark = `data-code-language="`
	parts := strings.Split(render(t, byAnn(b.String())).HTML, mark)[1:]
	out := make([]string, len(parts))
	for i, p := range parts {
		name, _, _ := strings.Cut(p, `"`)
		out[i] = html.UnescapeString(name)
	}
	if len(out) != len(words) {
		t.Fatalf("%d languages have %d names", len(words), len(out))
	}
	return out
}

func TestLanguages(t *testing.T) {
	want := map[string]string{
		"cs": "C#", "pycon": "Python console session", "irb": "Ruby irb session", "iex": "Elixir iex session",
		"less": "LessCss", "cljs": "ClojureScript",
		"psql": "PostgreSQL console (psql)", "delphi": "Delphi", "cuda": "CUDA", "pem": "ASCII armored",
		"jsp": "Java Server Page", "html+django": "HTML+Django/Jinja",
		"JS": "JavaScript", "text": "Text only", "c++": "C++", "ts": "TypeScript", "tsx": "TSX", "yml": "YAML", "sh": "Bash",
		"fsharp": "F#", "raku": "Perl6",
		"no-such": "no-such", "Svelte": "svelte",
	}
	var words []string
	for w := range want {
		words = append(words, w)
	}
	for i, got := range named(t, words) {
		if got != want[words[i]] {
			t.Errorf("%s is %q, want %q", words[i], got, want[words[i]])
		}
	}
}

// Every alias stands for exactly one lexer.
func TestLanguageTable(t *testing.T) {
	var words, want []string
	had := map[string]string{}
	for _, l := range languages.All() {
		for _, alias := range l.Aliases {
			if other := had[alias]; other != "" {
				t.Errorf("%s is %s and %s", alias, other, l.Name)
			}
			had[alias] = l.Name
			words, want = append(words, alias), append(want, l.Name)
		}
	}
	if len(words) < 900 {
		t.Errorf("%d aliases", len(words))
	}
	for i, got := range named(t, words) {
		if got != want[i] {
			t.Errorf("%s is %q, want %q", words[i], got, want[i])
		}
	}
}

// Languages that Chroma has under another name are highlighted.
func TestLanguagesHighlighted(t *testing.T) {
	for word, code := range map[string]string{"cs": "return 1;", "tsx": "return 1;", "delphi": "begin end.", "r": "x <- 1",
		"svelte": "<p>x</p>"} {
		text := fmt.Sprintf("```%s\n%s\n```", word, code)
		if got := render(t, md.Source{Text: text, Background: true}).HTML; !strings.Contains(got, `<span class="`) {
			t.Errorf("%s: %s", word, got)
		}
	}
}
