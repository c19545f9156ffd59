package highlight

import (
	"context"
	"slices"
	"testing"
	"time"

	known "github.com/alecthomas/chroma/v2/lexers"
	"github.com/dlclark/regexp2/v2"

	"github.com/stoachat/stoa/app/kittest/testrun"
)

// spellings has keywords of several languages in the ways in which they may, or may not, match.
const spellings = "select\u200d " + `select SELECT Select selects select_1 1select _select ſelect selectſ sélect
select-x (select) double precision DOUBLE  PRECISION order by in is not if ifx print print( print ( self.print .if
def f import a.b as c from .x import None func(x) package a a.int8 int16x 0x1F 1_000 1.5e-3j """x""" rb'x' Kelvin
kelvin`

// What is decided without running an expression is what the expression matches, at each position.
func TestShortcuts(t *testing.T) {
	h := New()
	lexers := h.Lexers()
	if !testrun.Long() {
		lexers = nil
		for _, name := range []string{"SQL", "Python", "Go", "HTML", "JavaScript", "COBOL"} {
			lexers = append(lexers, known.Get(name))
		}
	}
	rules := map[string]bool{}
	for _, expr := range []string{`\G(?i)(?:(in|is|i[f-h]|not)\b)`, `\G(?:\b(?:in|is)\b)`, `\G(?:(?>in|int8)\b)`,
		`\G(?:(?:un)?select(?:s|_1)??\b)`, `\G(?:(s(elect))\b)`, `\G(?:(s(?i)elect|Double)\b)`,
		`\G(?:(double\s+|in)\b)`, `\G(?:(\w+)(\s*)(\())`, `\G(?:(\w*)(\w)(\())`, `\G(?m)(?:^(d)(e+)f)`,
		`\G(?:(?<n>p)(r)int)`, `\G(?:[a-z]+\b|\()`, `\G(?:.[^x]*)`, `\G(?:(?=s)select|in)`, `\G(?:int\d{1,2}\b)`,
		`\G(?:(?:x|s)elect\b)`, `\G(?i)(?:(k\w+|order by)\b)`, `\G(?:(a)?b)`, `\G(?:\s*)`,
		`\G(?:(if\b|in\b|i)s?\b)`, `\G(?:(?:if|in)(?!x))`, `\G(?:(?>s*)(?>e*))`} {
		rules[expr] = true
	}
	for _, x := range lexers {
		if l, ok := h.lexers[x].(*regexLexer); ok {
			table := &table{lexer: l}
			if err := table.build(h); err != nil {
				t.Fatal(err)
			}
			for _, state := range table.states {
				for _, rule := range state {
					rules[rule.pattern] = rule.pattern != ""
				}
			}
		}
	}
	r := &run{Highlighter: h, ctx: context.Background(), deadline: time.Now().Add(time.Hour)}
	whole, listed := 0, 0
	for expr, used := range rules {
		if !used {
			continue
		}
		p, err := compile(expr)
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case p.steps.whole:
			whole++
		case p.words != nil:
			listed++
		default:
			continue
		}
		re := regexp2.MustCompile(expr)
		for _, text := range [][]rune{[]rune(sample), []rune(spellings)} {
			for at := range text {
				var want []string
				if m, err := re.FindRunesMatchStartingAt(text, at); err != nil {
					t.Fatal(err)
				} else if m != nil {
					for _, g := range m.Groups() {
						want = append(want, g.String())
					}
				}
				r.cursor.read = false
				if got, err := r.groups(p, text, at); err != nil || !slices.Equal(got, want) {
					t.Fatalf("%s at %q: %q (%v), want %q", expr, string(text[at:min(at+20, len(text))]), got, err,
						want)
				}
			}
		}
	}
	if whole < 100 || listed < 40 {
		t.Errorf("%d expressions need not be run, and %d have words", whole, listed)
	}
}
