package highlight

import (
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/alecthomas/chroma/v2"
)

// table is the state machine of a lexer: its rules by state.
type table struct {
	states map[string][]*rule
	mu     sync.Mutex // held while a rule is compiled

	lexer *regexLexer
	once  sync.Once
	built atomic.Bool
	base  int // size of the uncompiled rules
	err   error
	size  int // estimated, in bytes; guarded by the cache
}

// rule is a rule of a lexer. States that include each other share their rules.
type rule struct {
	pattern  string // "" matches everywhere
	emitter  emitter
	mutator  chroma.Mutator
	compiled atomic.Pointer[pattern]
}

// cost estimates the memory of a compiled rule, in bytes: TestMemory compares it with the heap.
func (r *rule) cost() int { return 1500 + 25*len(r.pattern) }

// build fills the table from the rules of a lexer, without compiling them.
func (t *table) build(h *Highlighter) error {
	raw, err := t.lexer.fetch()
	if err != nil {
		return err
	}
	rules := make(chroma.CompiledRules, len(raw))
	for state, list := range raw {
		for _, r := range list {
			rules[state] = append(rules[state], &chroma.CompiledRule{Rule: r})
		}
	}
	if err := expand(rules); err != nil {
		return err
	}
	flags := flags(t.lexer.Config())
	known := map[*chroma.CompiledRule]*rule{}
	t.states = make(map[string][]*rule, len(rules))
	for state, list := range rules {
		t.states[state] = make([]*rule, len(list))
		for i, r := range list {
			one := known[r]
			if one == nil {
				e, err := h.emitter(t.lexer, r.Type)
				if err != nil {
					return err
				}
				one = &rule{emitter: e, mutator: r.Mutator}
				if r.Pattern != "" {
					one.pattern = `\G` + flags + `(?:` + r.Pattern + `)`
				}
				known[r] = one
				t.base += 400 + 2*len(r.Pattern)
			}
			t.states[state][i] = one
		}
	}
	return nil
}

// expand replaces the rules that include or combine states.
func expand(rules chroma.CompiledRules) error {
	for again := true; again; {
		again = false
		for _, state := range slices.Sorted(maps.Keys(rules)) {
			for i, r := range rules[state] {
				if m, ok := r.Mutator.(chroma.LexerMutator); ok {
					if err := m.MutateLexer(rules, state, i); err != nil {
						return err
					}
					again = true
					break
				}
			}
		}
	}
	return nil
}

// flags returns the options of a lexer's regular expressions.
func flags(c *chroma.Config) string {
	var b strings.Builder
	if !c.NotMultiline {
		b.WriteByte('m')
	}
	if c.CaseInsensitive {
		b.WriteByte('i')
	}
	if c.DotAll {
		b.WriteByte('s')
	}
	if b.Len() == 0 {
		return ""
	}
	return "(?" + b.String() + ")"
}
