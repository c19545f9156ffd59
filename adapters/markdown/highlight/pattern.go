package highlight

import (
	"unicode"

	"github.com/dlclark/regexp2/v2"
	"github.com/dlclark/regexp2/v2/syntax"
)

// pattern is a compiled regular expression, which begins with \G.
type pattern struct {
	regexp2.Regexp
	first [2]uint64 // the ASCII characters that a match may start with, as a bit set
}

// compile compiles a regular expression.
func compile(expr string) (*pattern, error) {
	re, err := regexp2.Compile(expr)
	if err != nil {
		return nil, err
	}
	p := &pattern{Regexp: *re, first: [2]uint64{^uint64(0), ^uint64(0)}}
	// The library determines the first characters to search faster, but does not use them for anchored expressions.
	code, err := field[*syntax.Code](re, "code")
	if err != nil || code.FcPrefix == nil {
		return p, nil // unknown, or a match may be empty
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
