package linkifier

import (
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode/utf8"

	"github.com/stoachat/stoa/domain/urltemplate"
)

// Compiled is a linkifier ready for use. One that doesn't compile, because it was stored under other rules, matches
// nothing.
type Compiled struct {
	*Linkifier
	re     [2][2]*regexp.Regexp // indexed by whether a match may begin at the start of the text, and end at its end
	groups map[string]int
	url    urltemplate.Template
	prefix string // literal prefix of all matches
	size   int
}

// Match is a match of a linkifier.
type Match struct {
	Start, End int // bytes
	URL        string
}

const (
	reach       = 256       // bytes of a search window in which a match may begin
	window      = 2 * reach // bytes per search, and so the longest match
	maxURL      = 2048      // bytes of a URL
	workPerByte = 4000      // see Work
)

// Characters that may delimit a match, besides the ends of the text.
const (
	before = `[\s\v\x{85}\pZ'"(,:<]`
	after  = `[^\pL\pN]`
)

func compile(l *Linkifier) *Compiled {
	c := &Compiled{Linkifier: l, groups: map[string]int{}}
	tree, err := syntax.Parse(l.Pattern, syntax.Perl)
	if err != nil {
		return c
	}
	if c.url, err = urltemplate.Parse(l.URLTemplate); err != nil {
		return c
	}
	own := tree.String() // self-contained: no quotation or flag extends past its end
	alone, err := regexp.Compile(own)
	if err != nil {
		return c
	}
	for begins, start := range []string{before, "(?:^|" + before + ")"} {
		for ends, end := range []string{after, "(?:$|" + after + ")"} {
			if c.re[begins][ends], err = regexp.Compile(start + "(" + own + ")" + end); err != nil {
				return &Compiled{Linkifier: l}
			}
		}
	}
	for i, name := range c.re[0][0].SubexpNames() {
		if name != "" {
			c.groups[name] = i
		}
	}
	c.prefix, _ = alone.LiteralPrefix()
	c.size = size(tree)
	return c
}

// Budget limits the cost of matching all linkifiers against one text.
type Budget struct {
	Work int         // a search costs the bytes of its window times the size of the pattern, about the worst case
	Over func() bool // reports whether the result is no longer needed; nil: never
}

// Work returns the budget for a text of n bytes. The cost is therefore linear in n, by a factor that the limit on the
// total size of a realm's patterns bounds.
func Work(n int) Budget { return Budget{Work: n * workPerByte} }

// spend reduces the budget, and reports whether it sufficed.
func (b *Budget) spend(cost int) bool {
	if b.Over != nil && b.Over() {
		b.Work = 0
	}
	b.Work -= cost
	return b.Work >= 0
}

// Find returns non-overlapping matches from left to right. begins reports whether a match may begin at the start of s;
// it may always end at the end. The search stops when the budget is used up.
func (c *Compiled) Find(s string, begins bool, b *Budget) []Match {
	if c.re[0][0] == nil {
		return nil
	}
	var out []Match
	for pos := 0; pos < len(s); {
		if c.prefix != "" {
			i := strings.Index(s[pos:], c.prefix)
			if i < 0 {
				break
			}
			if i > 0 { // include the delimiter before the prefix
				_, n := utf8.DecodeLastRuneInString(s[:pos+i])
				pos += i - n
			}
		}
		next, end := boundary(s, pos+reach), boundary(s, pos+window)
		if !b.spend((end - pos) * max(c.size, 1)) {
			break
		}
		m := c.re[boolIndex(begins && pos == 0)][boolIndex(end == len(s))].FindStringSubmatchIndex(s[pos:end])
		switch {
		case m == nil && end == len(s):
			return out
		case m == nil, end < len(s) && pos+m[0] >= next:
			pos = next
		case m[2] == m[3] && pos+m[3] > pos: // an empty match makes no link
			pos += m[3]
		case m[2] == m[3] && begins && pos == 0:
			begins = false
		case m[2] == m[3]:
			pos = boundary(s, pos+1)
		default:
			if url, ok := c.url.Expand(c.captured(s[pos:end], m), maxURL); ok {
				out = append(out, Match{pos + m[2], pos + m[3], url})
			}
			pos += m[3]
		}
	}
	return out
}

// captured returns a lookup of the groups that took part in a match.
func (c *Compiled) captured(s string, m []int) func(string) (string, bool) {
	return func(name string) (string, bool) {
		i, ok := c.groups[name]
		if !ok || m[2*i] < 0 {
			return "", false
		}
		return s[m[2*i]:m[2*i+1]], true
	}
}

// boundary returns the first rune boundary of s at or after at, at most len(s).
func boundary(s string, at int) int {
	for at < len(s) && !utf8.RuneStart(s[at]) {
		at++
	}
	return min(at, len(s))
}

func boolIndex(b bool) int {
	if b {
		return 1
	}
	return 0
}

// size estimates the steps a pattern takes per byte in the worst case: its number of positions with repeats expanded.
func size(re *syntax.Regexp) int {
	n := 1
	for _, sub := range re.Sub {
		n += size(sub)
	}
	switch re.Op {
	case syntax.OpLiteral:
		return len(re.Rune)
	case syntax.OpRepeat:
		return n * max(re.Max, re.Min+1)
	}
	return n
}
