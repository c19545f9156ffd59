package markdown_test

import (
	"context"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stoachat/stoa/domain/errs"
	md "github.com/stoachat/stoa/domain/markdown"
)

// adversarial returns texts of about n bytes on which naive parsers take quadratic time or worse.
func adversarial(n int) map[string]string {
	fill := func(s string) string { return strings.Repeat(s, n/len(s)) }
	ticks := func() string {
		var b strings.Builder
		for i := 1; b.Len() < n; i++ {
			b.WriteString("a" + strings.Repeat("`", i))
		}
		return b.String()
	}
	return map[string]string{
		"brackets": fill("["), "targets": fill("[a]("), "ends of links": fill("]("), "links": fill("[a](b"),
		"round": fill("[a](((()"), "images": fill("![a"), "upload images": fill("![a](/user_uploads/x "),
		"titles": fill("[a](b \"c"), "closed": strings.Repeat("[", n/2) + strings.Repeat("](x)", n/8), "stars": fill("*"),
		"stars and words": fill("*a "), "strong": fill("**a "), "both": fill("***a"),
		"strikes": fill("~~a "), "ticks": fill("`a``"), "growing ticks": ticks(), "quotes": fill(">"),
		"quotes apart": fill("> "), "quote lines": fill(">>>>a\n"), "lazy": ">" + fill("a\n"), "bars": fill("|"),
		"table": strings.Repeat("|", n/4) + "\n" + strings.Repeat("|-", n/4), "rows": "|a|b|\n|-|-|\n" + fill("|x\n"),
		"wide":    strings.Repeat("|a", n/8) + "\n" + strings.Repeat("|-", n/8) + "\n" + strings.Repeat("|\n", n/4),
		"dollars": fill("$$"), "tex": fill("$$a "), "ats": fill("@**"), "at groups": fill("@*a"),
		"mentions": fill("@**Ann Lee** "), "times": fill("<time:"), "channels": fill("#**"),
		"topics": fill("#**announce>a** "), "lists": fill("- "),
		"numbers": fill("1. "), "list lines": fill("* a\n  "), "list staircase": staircase(n), "rules": fill("---\n"),
		"headings": fill("# a\n"), "blank": fill("a\n\n"), "loose": fill("* a\n\n"), "colons": fill(":a"),
		"only colons": fill(":"), "emoji": fill(":smile:"),
		"characters": fill("👍🏽"), "joined": fill("👩‍"), "flags": fill("🇺"), "urls": fill("https://"),
		"commas": fill("https://a.b,"), "points": fill("a."), "hosts": fill("a.org "), "mails": fill("a@"),
		"parens": "https://x.org/" + fill("("), "punctuation": "https://x.org/" + fill(")."),
		"entities": fill("&a"), "fences": fill("```\n"), "open fences": fill("```a\n"), "quote fences": fill("```quote\n"),
		"growing fences": fences(n), "spoilers": fill("```spoiler `\n"), "angles": fill("<"), "code": fill("    a\n"),
		"python": "```py\n" + fill("((\"'"), "go": "```go\n" + fill("/*\"`{"), "html": "```html\n" + fill("<a b="),
		"js":       "```js\n" + fill("`${/[("),
		"previews": fill("https://x.org/a.png\n"), "tabs": fill("\t"), "blanks": fill(" a"), "emoticons": fill(":) "),
		"backslashes": fill("\\`"),
	}
}

func staircase(n int) string {
	var b strings.Builder
	for i := 0; b.Len() < n; i++ {
		b.WriteString(strings.Repeat("  ", i) + "* a\n")
	}
	return b.String()
}

func fences(n int) string {
	var b strings.Builder
	for i := 3; b.Len() < n; i++ {
		b.WriteString(strings.Repeat("`", i) + "quote\n")
	}
	return b.String()
}

func BenchmarkRender(b *testing.B) {
	r, v := renderer(), view()
	all := adversarial(10_000)
	all["rich"] = "**Hi** @**Ann Lee**, see [this](https://x.org) :smile:\n\n* a\n* b\n\n```go\nx := 1\n```"
	for name, s := range all {
		b.Run(name, func(b *testing.B) {
			src := uploads(s)
			src.Emoticons = true
			for b.Loop() {
				_, _ = r.Render(context.Background(), v, src)
			}
		})
	}
}

func BenchmarkRenderPlain(b *testing.B) {
	r, v := renderer(), view()
	b.ReportAllocs()
	for b.Loop() {
		_, _ = r.Render(context.Background(), v, md.Source{Text: "Hello, shall we meet at ten? I have the figures with me.",
			Sender: 31})
	}
}

// A text four times as long must take about four times the memory, and never sixteen times. Code blocks are excluded,
// because highlighting is limited.
func TestGrowth(t *testing.T) {
	r, v := renderer(), view()
	cost := func(s string) float64 {
		src := uploads(s)
		src.Emoticons = true
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if _, err := r.Render(context.Background(), v, src); err != nil && !errs.Is(err, errs.BadRequest) {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		return float64(after.TotalAlloc - before.TotalAlloc)
	}
	long := adversarial(40_000)
	for name, s := range adversarial(10_000) {
		if slices.Contains([]string{"python", "go", "html", "js"}, name) {
			continue
		}
		if ratio := cost(long[name]) / cost(s); ratio > 8 {
			t.Errorf("%s: four times the text takes %.1f times the memory", name, ratio)
		}
	}
}

// Clients accept the rendering of each of these texts.
func TestAdversarialTexts(t *testing.T) {
	for name, s := range adversarial(10_000) {
		out, err := renderer().Render(context.Background(), view(), uploads(s))
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for _, problem := range problems(out.HTML) {
			t.Errorf("%s: clients reject it: %s", name, problem)
			break
		}
	}
}
