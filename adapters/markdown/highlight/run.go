package highlight

import (
	"context"
	"errors"
	"time"

	"github.com/alecthomas/chroma/v2"
	"github.com/dlclark/regexp2/v2"
)

const (
	maxMatch  = 250 * time.Millisecond // for one match, which does not notice a canceled context
	maxIdle   = 1_000                  // steps in a row that consume nothing
	maxDepth  = 32                     // nested lexers
	maxTokens = 50_000                 // before merging
)

var (
	errTime    = errors.New("highlighting takes too long")
	errPrepare = errors.New("the lexers used take too long to compile")
	errIdle    = errors.New("the lexer makes no progress")
	errDepth   = errors.New("lexers are nested too deeply")
	errTokens  = errors.New("too many tokens")
	errRefused = errors.New("the lexer cannot be run in steps")
)

// run is the state of tokenizing one piece of code.
type run struct {
	*Highlighter
	ctx      context.Context
	budget   *Budget
	deadline time.Time // moved by the time spent on compiling
	depth    int
	tokens   int
	regexp   regexp2.Regexp // a copy, since its time limit differs from match to match
	cursor   cursor
	places   [maxItems + 1]int
}

// options are those of chroma.TokeniseOptions.
type options struct {
	state  string
	nested bool
	lf     bool // replace CR and CRLF by LF
}

// standalone are the options of chroma.Lexer.Tokenise without options.
var standalone = options{state: "root", lf: true}

// scan appends the tokens of the text.
func (r *run) scan(l lexer, o options, text string, out *tokens) error {
	if r.depth++; r.depth > maxDepth {
		return errDepth
	}
	out.run = r
	err := l.scan(r, o, text, out)
	r.depth--
	return err
}

// left returns the time that the next match may take.
func (r *run) left() (time.Duration, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	left := time.Until(r.deadline)
	if left <= 0 {
		return 0, errTime
	}
	return min(left, maxMatch), nil
}

// match returns the first rule that matches at a position, with its groups, or nil.
func (r *run) match(t *table, rules []*rule, text []rune, at int) (*rule, []string, error) {
	if _, err := r.left(); err != nil {
		return nil, nil, err
	}
	r.cursor.read = false
	for _, rule := range rules {
		if rule.pattern == "" {
			return rule, []string{""}, nil
		}
		compiled, err := r.compiled(t, rule)
		if err != nil {
			return nil, nil, err
		}
		groups, err := r.groups(compiled, text, at)
		if err != nil {
			return nil, nil, err
		}
		if groups != nil {
			return rule, groups, nil
		}
	}
	return nil, nil, nil
}

// groups returns the groups of a match at a position, or nil.
func (r *run) groups(compiled *pattern, text []rune, at int) ([]string, error) {
	if !compiled.starts(text[at]) || !compiled.steps.follow(text, at, &r.places) {
		return nil, nil
	}
	if compiled.steps.whole {
		return compiled.steps.texts(text, &r.places), nil
	}
	if compiled.words != nil {
		r.cursor.look(text, at)
		switch compiled.words.find(&r.cursor) {
		case differs:
			return nil, nil
		case matches:
			return compiled.words.texts(&r.cursor), nil
		}
	}
	m, err := r.find(compiled, text, at)
	if err != nil || m == nil || m.RuneIndex != at {
		return nil, err
	}
	found := m.Groups()
	groups := make([]string, len(found))
	for i := range found {
		groups[i] = found[i].String()
	}
	return groups, nil
}

// find returns the match of a regular expression at or after a position, or nil.
func (r *run) find(compiled *pattern, text []rune, at int) (*regexp2.Match, error) {
	for {
		left, err := r.left()
		if err != nil {
			return nil, err
		}
		r.regexp = compiled.Regexp
		r.regexp.MatchTimeout = left
		start := time.Now()
		m, err := r.regexp.FindRunesMatchStartingAt(text, at)
		switch {
		case err == nil:
			return m, nil
		case errors.Is(err, regexp2.ErrBacktrackingStackLimit):
			return nil, nil // as Chroma does
		case time.Since(start) >= left-tick:
			return nil, errTime
		}
		// On a busy machine the library's clock lags, and may then jump past the end of a match that has just begun.
	}
}

// prepare runs a function whose time is charged to the budget for compiling.
func (r *run) prepare(f func() error) error {
	if r.budget.Prepare <= 0 {
		return errPrepare
	}
	start := time.Now()
	err := f()
	took := time.Since(start)
	r.budget.Prepare -= took
	r.deadline = r.deadline.Add(took)
	return err
}

// compiled returns the pattern of a rule, compiled on first use.
func (r *run) compiled(t *table, rule *rule) (*pattern, error) {
	if p := rule.compiled.Load(); p != nil {
		return p, nil
	}
	err := r.prepare(func() error {
		t.mu.Lock()
		defer t.mu.Unlock()
		if rule.compiled.Load() != nil {
			return nil
		}
		p, err := compile(rule.pattern)
		if err != nil {
			return err
		}
		rule.compiled.Store(p)
		r.tables.grow(t, rule.cost())
		return nil
	})
	return rule.compiled.Load(), err
}

// tokens collects tokens.
type tokens struct {
	run  *run
	list []chroma.Token
}

func (t *tokens) add(kind chroma.TokenType, text string) error {
	if text == "" || kind == chroma.Ignore {
		return nil
	}
	if t.run.tokens++; t.run.tokens > maxTokens {
		return errTokens
	}
	t.list = append(t.list, chroma.Token{Type: kind, Value: text})
	return nil
}

// coalesce merges adjacent tokens of the same type up to about 8 KiB, as chroma.Coalesce does.
func coalesce(list []chroma.Token) []chroma.Token {
	var out []chroma.Token
	for i := 0; i < len(list); {
		size, end := len(list[i].Value), i+1
		for ; end < len(list) && list[end].Type == list[i].Type && size < 8192; end++ {
			size += len(list[end].Value)
		}
		t := list[i]
		if end > i+1 {
			text := make([]byte, 0, size)
			for _, part := range list[i:end] {
				text = append(text, part.Value...)
			}
			t.Value = string(text)
		}
		out = append(out, t)
		i = end
	}
	return out
}
