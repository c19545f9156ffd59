// Package highlight splits code into tokens with the lexers of Chroma, in bounded time and memory.
//
// A Chroma lexer is a table of regular expressions and a loop that applies them. The loop has no limit: a rule may
// match nothing and return to its own state, and each of a hundred rules may backtrack. This package therefore takes
// only the tables from Chroma and runs them in a loop of its own, which checks the time before each match, ends a
// match when the time is up, and ends when the code does not get shorter. It works on the caller's goroutine, so
// nothing continues after Tokens has returned.
//
// The alternative, a child process that can be killed, was rejected after measuring: a child of the same program takes
// 39 MiB before it has loaded a lexer, and each hostile text would cost its restart and the compiled rules. Here, all
// tables take at most 12 MiB, and a kilobyte of code takes less than a millisecond (BenchmarkCode), since most rules
// are decided without running their regular expression (see steps and vocabulary).
package highlight

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/alecthomas/chroma/v2"
	known "github.com/alecthomas/chroma/v2/lexers"
	"github.com/dlclark/regexp2/v2"
)

// tick is the resolution of the clock that ends matches. The library's own, 100 ms, exceeds the whole time of a text.
const tick = time.Millisecond

// setTick changes a variable of the library, which its clock reads without a lock while it runs.
var setTick = sync.OnceFunc(func() { regexp2.SetTimeoutCheckPeriod(tick) })

// Highlighter holds the lexers. It is safe for concurrent use.
type Highlighter struct {
	lexers map[chroma.Lexer]lexer
	tables cache
}

// New returns a highlighter with all lexers of Chroma that can be stepped.
func New() *Highlighter {
	setTick()
	h := &Highlighter{lexers: make(map[chroma.Lexer]lexer, len(known.GlobalLexerRegistry.Lexers))}
	for _, x := range h.Lexers() {
		_, _ = h.adapt(x) // its code is shown plain
	}
	return h
}

// Lexers returns the lexers of Chroma.
func (h *Highlighter) Lexers() []chroma.Lexer { return known.GlobalLexerRegistry.Lexers }

// Budget is what remains of the limits of one text, which may contain several pieces of code.
type Budget struct {
	Time    time.Duration // for tokenizing
	Prepare time.Duration // for compiling rules on their first use, in addition
}

// Tokens returns the tokens of the code, with adjacent tokens of the same type merged, and reduces the budget. The
// tokens may differ from the code if a lexer is faulty.
func (h *Highlighter) Tokens(ctx context.Context, b *Budget, x chroma.Lexer, code string) (_ []chroma.Token,
	err error) {
	l := h.lexers[x]
	if l == nil {
		return nil, errRefused
	}
	r := &run{Highlighter: h, ctx: ctx, budget: b, deadline: time.Now().Add(b.Time)}
	defer func() {
		b.Time = time.Until(r.deadline)
		// Chroma's emitters and mutators report errors by panicking, such as a stack that is popped too often.
		if p := recover(); p != nil {
			err = fmt.Errorf("lexer %s: %v", x.Config().Name, p)
		}
	}()
	var out tokens
	if err := r.scan(l, options{state: "root"}, code, &out); err != nil {
		if errors.Is(err, errTime) {
			r.deadline = time.Now() // the clock for matches is coarse: nothing is left
		}
		return nil, err
	}
	return coalesce(out.list), nil
}
