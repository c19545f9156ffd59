package katex_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stoachat/stoa/adapters/emoji"
	"github.com/stoachat/stoa/adapters/katex"
	"github.com/stoachat/stoa/adapters/katex/mathtest"
	renderer "github.com/stoachat/stoa/adapters/markdown"
	"github.com/stoachat/stoa/app/kittest/testrun"
	"github.com/stoachat/stoa/domain/markdown"
	"github.com/stoachat/stoa/ports"
)

// engine allows enough time for a busy machine. Tests of the limits use their own engines.
var engine = sync.OnceValue(func() ports.Math { return katex.New(katex.Config{Timeout: time.Minute, CacheMiB: 1}) })

func render(t *testing.T, m ports.Math, text string) string {
	t.Helper()
	out, err := renderer.New(renderer.Config{}, emoji.New(), m, nil, nil).Render(t.Context(), nil,
		markdown.Source{Text: text, Background: true})
	if err != nil {
		t.Fatal(err)
	}
	return out.HTML
}

// TestMessages checks that the markup has the structure that clients parse: two children, and the source in the
// annotation of the first.
func TestMessages(t *testing.T) {
	annotation := func(tex string) string {
		return `<annotation encoding="application/x-tex">` + tex +
			`</annotation></semantics></math></span><span class="katex-html" aria-hidden="true"><span class="base">`
	}
	const inline = `<span class="katex"><span class="katex-mathml"><math ` +
		`xmlns="http://www.w3.org/1998/Math/MathML"><semantics>`
	const display = `<span class="katex-display"><span class="katex"><span class="katex-mathml">` +
		`<math xmlns="http://www.w3.org/1998/Math/MathML" display="block"><semantics>`
	for _, c := range []struct {
		text string
		has  []string
	}{
		{"so $$a^2 < b$$.", []string{"<p>so " + inline, annotation("a^2 &lt; b"), "</span>.</p>"}},
		{"```math\nx+y\n\n\\frac{1}{2}\n```", []string{"<p>" + display, annotation("x+y"), "</span>\n\n" + display,
			annotation(`\frac{1}{2}`)}},
		{`$$\frac{$$`, []string{`<p><span class="tex-error">$$\frac{$$</span></p>`}},
		{"```math\n\\nope<b>\n```", []string{`<p><span class="tex-error">\nope&lt;b&gt;</span></p>`}},
	} {
		got := render(t, engine(), c.text)
		for _, want := range c.has {
			if !strings.Contains(got, want) {
				t.Errorf("%q gives\n%s\nwithout\n%s", c.text, got, want)
			}
		}
	}
}

// TestNothingBeyondTheFormula checks that commands that refer to other pages or affect the surrounding page are errors,
// and that text stays text.
func TestNothingBeyondTheFormula(t *testing.T) {
	for _, tex := range []string{
		`\href{javascript:alert(1)}{x}`, `\url{https://example.com}`, `\includegraphics{https://example.com/x.png}`,
		`\htmlClass{button}{x}`, `\htmlStyle{position:fixed}{x}`, `\htmlData{x=y}{x}`, `\htmlId{app}{x}`,
		`\text{<img src=x onerror=alert(1)>}`, `\unicode{x}<script>`, `\rule{9999em}{9999em}`, `\gdef\a{b}\a`,
	} {
		html, err := engine().Formula(t.Context(), tex, false)
		if err != nil {
			if !errors.Is(err, markdown.ErrTeX) {
				t.Errorf("%s: %v", tex, err)
			}
			continue
		}
		for _, bad := range []string{"<a", "<img", "<script", "href=", "fixed", `class="button"`, `id="`, "data-x",
			"9999em;"} {
			if strings.Contains(strings.Split(html, "katex-html")[1], bad) {
				t.Errorf("%s gives %s in\n%s", tex, bad, html)
			}
		}
	}
	if _, err := engine().Formula(t.Context(), `\a`, false); !errors.Is(err, markdown.ErrTeX) {
		t.Errorf("a formula sees definitions of another one: %v", err)
	}
}

// TestBounds checks that formulas that are slow, deeply nested or expand too much are not rendered, are not reported as
// invalid, and do not affect later formulas.
func TestBounds(t *testing.T) {
	m := katex.New(katex.Config{Timeout: 300 * time.Millisecond, CacheMiB: 1})
	if _, err := m.Formula(t.Context(), "x", false); err != nil && !strings.Contains(err.Error(), "long") {
		t.Fatal(err)
	}
	const growing = `\def\a#1{#1#1#1#1#1#1#1#1#1#1}\a{\a{\a{\a{xxxxx}}}}`
	for name, tex := range map[string]string{
		"slow": growing, "deep": strings.Repeat("{", 2400) + strings.Repeat("}", 2400), "long": strings.Repeat("x", 6000),
		"endless": `\def\a{\a\a}\a`, "roots": strings.Repeat(`\sqrt{`, 600) + strings.Repeat("}", 600),
	} {
		ctx, cancel := context.WithTimeout(t.Context(), testrun.Patience)
		html, err := m.Formula(ctx, tex, false)
		if ctx.Err() != nil {
			t.Errorf("%s does not end by itself", name)
		}
		cancel()
		if err == nil && len(html) > 200_000 {
			t.Errorf("%s gives %d bytes", name, len(html))
		}
		if name == "long" && (err == nil || errors.Is(err, markdown.ErrTeX)) {
			t.Errorf("%s: %v", name, err)
		}
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := m.Formula(gone, "q", false); err == nil {
		t.Error("a formula was rendered for a canceled caller")
	}
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() { // all but the last are canceled, some of them while formulas are rendered
			ctx, cancel := context.WithTimeout(t.Context(), time.Duration(1+i*3)*time.Millisecond)
			defer cancel()
			for range 5 {
				_, _ = m.Formula(ctx, fmt.Sprintf(`%s+%d`, growing, i), false)
			}
		})
	}
	all.Wait()
	if _, err := engine().Formula(t.Context(), "y+z", false); err != nil {
		t.Error(err)
	}
	if html, err := m.Formula(t.Context(), "y", false); err == nil && !strings.Contains(html, ">y</span>") {
		t.Errorf("after interruptions y is %s", html)
	}
}

// large renders every formula as the same markup.
type large struct{ html string }

func (s large) Formula(ctx context.Context, _ string, _ bool) (string, error) {
	return s.html, ctx.Err()
}

// TestTextsAreBounded checks that in a text with too many formulas, the first ones are rendered, and the others are
// shown as source.
func TestTextsAreBounded(t *testing.T) {
	drawn := "<b>" + strings.Repeat("x", 150_000) + "</b>"
	got := render(t, large{drawn}, "$$a$$ $$b$$ $$c$$")
	if strings.Count(got, "<b>") != 2 || !strings.Contains(got, `aria-hidden="true">c</span>`) {
		t.Errorf("%d rendered, of %d bytes: %s", strings.Count(got, "<b>"), len(got), got[len(got)-200:])
	}
}

// TestVersion checks that the script has the same version as the web client's styles.
func TestVersion(t *testing.T) {
	lock, err := os.ReadFile("../../modules/web/ui/package-lock.json")
	if err != nil {
		t.Fatal(err)
	}
	script, err := os.ReadFile("katex.min.js")
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile(`"node_modules/katex": \{\s*"version": "([^"]+)"`).FindSubmatch(lock)
	if m == nil || !strings.Contains(string(script), `"`+string(m[1])+`"`) {
		t.Errorf("the web client has version %q of KaTeX; run adapters/katex/generate", m)
	}
}

func BenchmarkFormula(b *testing.B) {
	for i := range b.N {
		_, err := engine().Formula(b.Context(), fmt.Sprintf(`\int_0^{%d} e^{-x^2}\,dx = \frac{\sqrt{\pi}}{2}`, i), true)
		if err != nil {
			b.Fatal(err)
		}
	}
}

func TestContract(t *testing.T) { mathtest.Contract(t, engine()) }
