package highlight

import (
	"bytes"
	"math/bits"
	"strings"

	"github.com/dlclark/regexp2/v2/syntax"
)

// Limits of a vocabulary.
const (
	maxWords      = 4000
	maxWordLength = 64
	maxLoop       = 8
)

// vocabulary is the finite set of words with which all matches of an expression start, such as the keywords of a
// language. It replaces trying hundreds of alternatives.
type vocabulary struct {
	words map[string]bool // true: a text with the word matches, and the match is the word
	fold  bool            // the words are in lower case, and compared without case
	group bool            // the word is also group 1
}

// verdict is the result of comparing a word with a vocabulary.
type verdict int

const (
	unknown verdict = iota // only the expression can decide
	differs                // no match
	matches                // a match that consists of the word
)

// cursor holds the ASCII word at a position of a text, which is read once for all rules.
type cursor struct {
	read        bool
	known       bool // the word is not part of one with other characters, and not longer than maxWordLength
	word, lower []byte
}

func wordChar(r rune) bool {
	return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '_'
}

// look reads the word at a position.
func (c *cursor) look(text []rune, at int) {
	if c.read {
		return
	}
	c.read, c.word, c.lower = true, c.word[:0], c.lower[:0]
	for at < len(text) && wordChar(text[at]) && len(c.word) < maxWordLength {
		b := byte(text[at])
		c.word = append(c.word, b)
		if 'A' <= b && b <= 'Z' {
			b += 'a' - 'A'
		}
		c.lower = append(c.lower, b)
		at++
	}
	c.known = at == len(text) || text[at] < 128 && !wordChar(text[at])
}

// find compares the word at the cursor.
func (v *vocabulary) find(c *cursor) verdict {
	if !c.known {
		return unknown
	}
	word := c.word
	if v.fold {
		word = c.lower
	}
	switch whole, ok := v.words[string(word)]; {
	case !ok:
		return differs
	case whole:
		return matches
	}
	return unknown
}

// texts returns the text of a match and of its groups.
func (v *vocabulary) texts(c *cursor) []string {
	w := string(c.word)
	if v.group {
		return []string{w, w}
	}
	return []string{w}
}

// vocabularyOf returns the words of an expression, or nil if they are not finite.
func vocabularyOf(tree *syntax.RegexTree) *vocabulary {
	root := tree.Root
	if len(root.Children) != 1 {
		return nil
	}
	s := spelling{open: []string{""}, words: map[string]bool{}}
	if !s.add(root.Children[0]) || len(s.open) > 0 {
		return nil
	}
	if _, ok := s.words[""]; ok && len(s.words) == 1 {
		return nil // the first character tells as much
	}
	v := &vocabulary{words: s.words, fold: s.folded}
	parts := root.Children[0].Children // \G, ..., \b
	whole := !s.partial && s.bounds == 1 && parts[len(parts)-1].T == syntax.NtBoundary && (!s.folded || !s.cased)
	switch {
	case tree.Captop == 1:
	case tree.Captop == 2 && len(parts) == 3 && parts[1].T == syntax.NtCapture:
		v.group = true
	default:
		whole = false
	}
	words := make(map[string]bool, len(v.words))
	for w, one := range v.words {
		if v.fold {
			w = strings.ToLower(w)
		}
		known, seen := words[w]
		words[w] = one && whole && (known || !seen)
	}
	v.words = words
	return v
}

// spelling enumerates the words with which an expression starts. A word ends where no letter, digit or underscore
// may follow.
type spelling struct {
	open          []string        // to be continued
	words         map[string]bool // that have ended; true: at \b
	bounds        int             // number of \b, each of which ends words
	partial       bool            // the words are a superset
	folded, cased bool            // there are letters that match in any case, or in one
}

// add continues the open words, and reports whether that is possible.
func (s *spelling) add(n *syntax.RegexNode) bool {
	if len(s.open) == 0 {
		return true
	}
	if n.Options&(syntax.RightToLeft|syntax.IgnoreCase) != 0 {
		if n.T != syntax.NtPosLook && n.T != syntax.NtNegLook {
			return false
		}
	}
	switch n.T {
	case syntax.NtEmpty, syntax.NtStart:
		return true
	case syntax.NtPosLook, syntax.NtNegLook, syntax.NtBol, syntax.NtEol:
		s.partial = true
		return true
	case syntax.NtBoundary:
		s.end()
		return true
	case syntax.NtConcatenate:
		for _, child := range n.Children {
			if !s.add(child) {
				return false
			}
		}
		return true
	case syntax.NtAlternate:
		return s.alternate(n.Children)
	case syntax.NtCapture, syntax.NtGroup:
		return s.add(n.Children[0])
	case syntax.NtAtomic:
		s.partial = true
		return s.add(n.Children[0])
	case syntax.NtMulti:
		for _, r := range n.Str {
			if !s.char(only(r)) {
				return false
			}
		}
		return true
	case syntax.NtOne, syntax.NtSet, syntax.NtNotone:
		return s.char(newClass(n))
	case syntax.NtLoop, syntax.NtLazyloop:
		if n.M != 0 || n.N != 1 {
			return false
		}
		return s.alternate([]*syntax.RegexNode{n.Children[0], {T: syntax.NtEmpty}})
	case syntax.NtOneloop, syntax.NtSetloop, syntax.NtNotoneloop, syntax.NtOnelazy, syntax.NtSetlazy,
		syntax.NtNotonelazy:
		return s.loop(newClass(n), n.M, n.N)
	case syntax.NtOneloopatomic, syntax.NtSetloopatomic, syntax.NtNotoneloopatomic:
		s.partial = s.partial || n.M < n.N
		return s.loop(newClass(n), n.M, n.N)
	}
	return false
}

func (s *spelling) alternate(all []*syntax.RegexNode) bool {
	var ends []string
	before := s.open
	for _, n := range all {
		s.open = append([]string(nil), before...)
		if !s.add(n) {
			return false
		}
		if ends = append(ends, s.open...); len(ends)+len(s.words) > maxWords {
			return false
		}
	}
	s.open = ends
	return true
}

func (s *spelling) loop(c class, least, most int) bool {
	if in, _ := c.split(); least == 0 && most > 1 || most > maxLoop && len(in) > 0 {
		return false
	}
	var ends []string
	for i := range most {
		if i >= least {
			ends = append(ends, s.open...)
		}
		if !s.char(c) {
			return false
		}
		if len(s.open) == 0 {
			break
		}
	}
	s.open = append(ends, s.open...)
	return len(s.open) <= maxWords
}

// split returns the ASCII characters of words in a class, and whether it has others.
func (c *class) split() (in []byte, others bool) {
	for i, set := range c.ascii {
		for ; set != 0; set &= set - 1 {
			if r := rune(64*i + bits.TrailingZeros64(set)); wordChar(r) {
				in = append(in, byte(r))
			} else {
				others = true
			}
		}
	}
	return in, others
}

// end ends all open words except the empty one.
func (s *spelling) end() {
	s.bounds++
	var rest []string
	for _, w := range s.open {
		if w != "" {
			s.finish(w, true)
		} else if s.partial = true; len(rest) == 0 {
			rest = []string{w}
		}
	}
	s.open = rest
}

func (s *spelling) finish(w string, whole bool) {
	known, seen := s.words[w]
	s.words[w] = whole && (known || !seen)
}

// char continues the open words by a character. Only ASCII counts: the cursor knows no other words.
func (s *spelling) char(c class) bool {
	next, ends := c.split()
	if ends {
		for _, w := range s.open {
			s.finish(w, false)
		}
	}
	next = s.letters(next)
	if len(s.words)+len(s.open)*len(next) > maxWords {
		return false
	}
	var out []string
	for _, w := range s.open {
		for _, b := range next {
			out = append(out, w+string(rune(b)))
		}
	}
	s.open = out
	return true
}

// letters returns the characters in lower case if they match in any case.
func (s *spelling) letters(all []byte) []byte {
	var upper, lower, rest []byte
	for _, b := range all {
		switch {
		case 'A' <= b && b <= 'Z':
			upper = append(upper, b|0x20)
		case 'a' <= b && b <= 'z':
			lower = append(lower, b)
		default:
			rest = append(rest, b)
		}
	}
	if len(upper)+len(lower) == 0 {
		return all
	}
	if !bytes.Equal(upper, lower) {
		s.cased = true
		return all
	}
	s.folded = true
	return append(rest, lower...)
}
