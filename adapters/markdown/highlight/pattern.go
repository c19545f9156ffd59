package highlight

import (
	"unicode"

	"github.com/dlclark/regexp2/v2"
	"github.com/dlclark/regexp2/v2/syntax"
)

// pattern is a compiled regular expression, which begins with \G. What is known about the start of its matches answers
// most questions without running the expression, which takes a microsecond and, with hundreds of keywords, twenty.
type pattern struct {
	regexp2.Regexp           // zero if steps.whole
	first          [2]uint64 // the ASCII characters that a match may start with, as a bit set
	steps          steps
	words          *vocabulary // or nil
}

// compile compiles a regular expression.
func compile(expr string) (*pattern, error) {
	p := &pattern{first: [2]uint64{^uint64(0), ^uint64(0)}}
	tree, err := syntax.Parse(expr, syntax.ParseOptions{})
	if err != nil {
		return nil, err
	}
	if p.steps = stepsOf(tree); p.steps.whole {
		return p, nil
	}
	p.words = vocabularyOf(tree)
	re, err := regexp2.Compile(expr)
	if err != nil {
		return nil, err
	}
	p.Regexp = *re
	// The library determines the first characters to search faster, but does not use them for anchored expressions.
	code, err := field[*syntax.Code](re, "code")
	if err != nil || code.FcPrefix == nil {
		return p, nil //nolint:nilerr // unknown, or a match may be empty
	}
	set := code.FcPrefix.PrefixSet
	p.first = [2]uint64{}
	for c := rune(0); c < unicode.MaxASCII+1; c++ {
		if set.CharIn(c) || code.FcPrefix.CaseInsensitive && (set.CharIn(unicode.ToLower(c)) ||
			set.CharIn(unicode.ToUpper(c))) {
			p.first[c/64] |= 1 << (c % 64)
		}
	}
	return p, nil
}

// starts reports whether a match may start with a character.
func (p *pattern) starts(c rune) bool {
	return c > unicode.MaxASCII || p.first[c/64]&(1<<(c%64)) != 0
}
