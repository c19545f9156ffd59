package markdown_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/alecthomas/chroma/v2/lexers"
	"golang.org/x/net/html"

	"github.com/stoachat/stoa/app/kittest/testrun"
	md "github.com/stoachat/stoa/domain/markdown"
)

// code renders a code block, and checks that this ends and that the same text is shown as without a language.
func code(t *testing.T, word, text string) md.Output {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), testrun.Patience)
	defer cancel()
	out, err := renderer().Render(ctx, view(), byAnn("~~~"+word+"\n"+text+"\n~~~"))
	if err != nil {
		t.Fatalf("%s: %.40q: %v", word, text, err)
	}
	if !strings.Contains(out.HTML, "data-code-language") {
		return out // such as a quote
	}
	if got, want := shown(out.HTML), shown(render(t, byAnn("~~~\n"+text+"\n~~~")).HTML); got != want {
		t.Errorf("%s: %.100q is shown, want %.100q", word, got, want)
	}
	return out
}

// Code on which lexers loop or backtrack.
func TestHostileCode(t *testing.T) {
	testrun.Unraced(t, "nothing runs concurrently")
	fill := func(s string) string { return strings.Repeat(s, 9_900/len(s)) }
	for word, text := range map[string]string{
		"jungle": "-", "jsonata": `"`, "fortran": fill(`"\\\`), "makefile": fill("("), "jinja": fill("#{#{"),
		"lua": fill("["), "markdown": fill("<!--"), "c++": fill("[[["), "cobol": fill("[["), "raku": fill("(("),
		"css+php": fill("<?"), "js+erb": fill("<%"), "xml+django": fill("{{"), "html+mako": fill("${"),
		"css+genshi": fill("$"),
	} {
		code(t, word, text)
	}
	if !testrun.Long() || os.Getenv("STOA_TEST_DATABASE") == "postgres" { // once is enough
		return
	}
	patterns := strings.Fields("( ) [ ] { } < > \" ' ` \\ / * # - = + : ; , . | & % $ @ ! ? ^ _ a 1 " +
		"(( [[[ {{ <!-- <% {% #{ ${ /* // -- \\\\ \"\\\\\\ '\\ a( a[ a. 1. <a \"a 'a `a ``` $( @{ <<A")
	patterns = append(patterns, " ", "\n", "\t", "a ", "a\n", "(\n", "\\\n", "# a\n", "é")
	for _, l := range lexers.GlobalLexerRegistry.Lexers {
		for _, p := range patterns {
			word := l.Config().Name
			if a := l.Config().Aliases; len(a) > 0 {
				word = a[0]
			}
			code(t, word, fill(p))
		}
	}
}

// Rendering ends when its context does, and is not stored with code that would have been highlighted.
func TestRenderCanceled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	out, err := renderer().Render(ctx, view(), byAnn("```go\nvar x = 1\n```"))
	if err == nil {
		t.Errorf("got %s", out.HTML)
	}
}

// BenchmarkCode renders a kilobyte of normal code.
func BenchmarkCode(b *testing.B) {
	samples := map[string]string{
		"go": "// Sum adds.\nfunc Sum(list []int) (n int) {\n\tfor _, x := range list {\n\t\tn += x * 0x1F\n\t}\n" +
			"\treturn n\n}\n",
		"python": "@cache\ndef total(items: list[int]) -> int:\n    \"\"\"Adds.\"\"\"\n" +
			"    return sum(x for x in items if x > 1.5)\n",
		"sql":  "SELECT a.id, count(*) FROM a JOIN b ON a.id = b.a WHERE b.name LIKE 'x%' GROUP BY a.id; -- all\n",
		"html": "<div class=\"a\"><p>x &amp; y</p><script>let z = `${1}`</script></div><!-- b -->\n",
	}
	for word, s := range samples {
		text := fmt.Sprintf("```%s\n%s\n```", word, strings.Repeat(s, 1+1000/len(s))[:1000])
		b.Run(word, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_, _ = renderer().Render(context.Background(), view(), byAnn(text))
			}
		})
	}
}

// shown returns the text of HTML.
func shown(s string) string {
	var b strings.Builder
	z := html.NewTokenizer(strings.NewReader(s))
	for z.Next() != html.ErrorToken {
		if t := z.Token(); t.Type == html.TextToken {
			b.WriteString(t.Data)
		}
	}
	return b.String()
}
