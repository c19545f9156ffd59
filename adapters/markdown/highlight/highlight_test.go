package highlight

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/alecthomas/chroma/v2"
	known "github.com/alecthomas/chroma/v2/lexers"

	"github.com/stoachat/stoa/app/kittest/testrun"
)

// patient is a budget without limits in practice.
func patient() *Budget { return &Budget{Time: time.Hour, Prepare: time.Hour} }

// All lexers of Chroma can be run in steps except one: this fails if a new version of Chroma changes its private parts.
func TestAdapted(t *testing.T) {
	h := New()
	var refused []string
	for _, x := range h.Lexers() {
		switch l := h.lexers[x].(type) {
		case nil:
			refused = append(refused, x.Config().Name)
		case *regexLexer:
			if err := (&table{lexer: l}).build(h); err != nil {
				t.Errorf("%s: %v", x.Config().Name, err)
			}
		}
	}
	if !slices.Equal(refused, []string{"Raku"}) || len(h.lexers) < 297 {
		t.Errorf("%d lexers, refused: %q", len(h.lexers), refused)
	}
}

// endless are lexers that Chroma's own loop may never leave.
var endless = []string{"Raku", "Jungle", "JSONata"}

// sample has the constructs of many languages.
const sample = `---
title: "x"
---
# Title
#include <stdio.h>
/* comment */ // more
<!-- a --> <p class="a">x &amp; y</p> <?php echo 1; ?> <%= x %> {{ y | z }} {% if a %}b{% endif %}
func main() { s := "a\n" + 'b' + 1.5e3; return 0x1F }
def f(self, x=None): return [i for i in range(10)] ; f"{x}"
SELECT * FROM t WHERE a = 'b' AND c <> 10;
$a = @b; %c; end
(defun f (x) (list x :key "s")) -- note
`

// The tokens are those of Chroma's own loop, even if two texts are highlighted at once.
func TestSameTokens(t *testing.T) {
	codes := map[string]string{
		"Go":               "var x = `{{ range .X }}a{{ end }}` // b\nf(g(1))",
		"markdown":         "---\na: 1\n---\n# T\n* a **b**\n\n```go\nvar x = 1\n```\n```nothing\nx\n```\n",
		"reStructuredText": "T\n===\n\n.. code-block:: python\n\n   x = 1\n\n* a *b*\n",
		"HTTP":             "POST / HTTP/1.1\nHost: x\nContent-Type: application/json; charset=x\n\n{\"a\": 1}",
		"Svelte":           "<script lang=\"ts\">let a = 1</script>\n{#if a}<p on:x|y={a}>b</p>{/if}",
		"PHTML":            "<p><?php echo \"a\"; ?></p>",
		"ERB":              "<p><%= a.b %></p>\n", "YAML+Jinja": "a: {{ b }}\n- {% if c %}d{% endif %}",
		"Common Lisp": "(defun f (x) (list x &optional y))", "haxe": "#if a\nclass B {}\n#else\nvar c;\n#end",
		"Python": "@d\ndef f(x): return f'{x}'\r\n", "Genshi Text": "#for a in b\n${c}\n#end",
		"HTML": "<style>a { b: c }</style><script>let x = `${1}`</script>", "Caddyfile": "a.org {\n\troot * /x\n}\n",
		"plaintext": "a", "C++": "template<> int x{}; R\"(a)\"",
	}
	h := New()
	compare := func(x chroma.Lexer, code string) {
		want, err := chroma.Tokenise(chroma.Coalesce(x), &chroma.TokeniseOptions{State: "root"}, code)
		if err != nil {
			t.Error(err)
		}
		got, err := h.Tokens(context.Background(), patient(), x, code)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %q (%v)\nwant %q", x.Config().Name, got, err, want)
		}
	}
	var both sync.WaitGroup
	for range 2 {
		both.Go(func() {
			for name, code := range codes {
				if x := known.Get(name); x == nil {
					t.Errorf("no lexer %s", name)
				} else {
					compare(x, code)
				}
			}
		})
	}
	both.Wait()
	if !testrun.Long() {
		return
	}
	for _, x := range h.Lexers() {
		if !slices.Contains(endless, x.Config().Name) {
			compare(x, sample)
		}
	}
}

// Highlighting ends by itself, not by its time.
func TestLimits(t *testing.T) {
	canceled, cancel := context.WithCancel(context.Background())
	cancel()
	for _, c := range []struct {
		lexer, code string
		ctx         context.Context
		budget      *Budget
		want        error
	}{
		{"Jungle", "-", context.Background(), patient(), errIdle},
		{"JSONata", `"`, context.Background(), patient(), errIdle},
		{"Go", "x", canceled, patient(), context.Canceled},
		{"Go", "x", context.Background(), &Budget{Prepare: time.Hour}, errTime},
		{"Go", "x", context.Background(), &Budget{Time: time.Hour}, errPrepare},
		{"Raku", "x", context.Background(), patient(), errRefused},
	} {
		if _, err := New().Tokens(c.ctx, c.budget, known.Get(c.lexer), c.code); !errors.Is(err, c.want) {
			t.Errorf("%s %q: %v, want %v", c.lexer, c.code, err, c.want)
		}
	}
	// Exponential backtracking within one match.
	b := &Budget{Time: 10 * time.Millisecond, Prepare: time.Hour}
	h := New()
	l := &regexLexer{RegexLexer: chroma.MustNewLexer(&chroma.Config{Name: "x"}, nil),
		fetch: func() (chroma.Rules, error) {
			return chroma.Rules{"root": {{Pattern: "(a|aa|a.)*b", Type: chroma.Text}}}, nil
		}}
	h.lexers[l] = l
	code := "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
	if _, err := h.Tokens(context.Background(), b, l, code); !errors.Is(err, errTime) {
		t.Errorf("backtracking: %v", err)
	}
	if b.Time > 0 || b.Time < -5*time.Second {
		t.Errorf("%v of the budget are left", b.Time)
	}
}

// Whoever uses all languages does not occupy more memory than promised.
func TestMemory(t *testing.T) {
	if !testrun.Long() {
		t.Skip("compiles all lexers")
	}
	heap := func() int {
		var m runtime.MemStats
		runtime.GC()
		runtime.GC() // empties pools
		runtime.ReadMemStats(&m)
		return int(m.HeapAlloc)
	}
	h := New()
	before := heap()
	all := slices.Clone(h.Lexers())
	for range 2 {
		slices.Reverse(all) // large ones first, in one of the rounds
		for _, x := range all {
			l, ok := h.lexers[x].(*regexLexer)
			if !ok {
				continue
			}
			r := &run{Highlighter: h, ctx: context.Background(), budget: patient()}
			table, err := h.tables.get(r, l)
			if err != nil {
				t.Fatal(err)
			}
			for _, rules := range table.states {
				for _, rule := range rules {
					if rule.pattern == "" {
						continue
					}
					if _, err := r.compiled(table, rule); err != nil {
						t.Fatalf("%s: %v", x.Config().Name, err)
					}
				}
			}
		}
		used := heap() - before
		t.Logf("%d KiB in %d tables, estimated as %d KiB", used>>10, len(h.tables.known), h.tables.size>>10)
		if used > 20<<20 || h.tables.size > maxMemory {
			t.Errorf("lexers occupy %d KiB, estimated as %d KiB", used>>10, h.tables.size>>10)
		}
	}
	runtime.KeepAlive(h)
}
