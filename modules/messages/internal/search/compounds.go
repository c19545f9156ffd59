package search

import (
	"iter"
	"slices"
	"strings"
	"unicode/utf8"
)

// A compound consists of words and the signs between and beside them. The index contains a token for each pair of words
// that are joined by signs, and for each word with signs before or after it that belong to it.

// Signs that join words, and that belong to a word before or after which they stand.
const (
	joining  = `.'&+#_-/\@:%$=·`
	leading  = `.#@/\-+$%_`
	trailing = `+#%$_`
)

// Signs that belong to a word after or before which they stand although there is a word on their other side.
const (
	leadingInside  = `.#@/`
	trailingInside = `+#`
)

// Maximum length of what tokens of compounds consist of. Longer runs of signs, such as lines, join nothing; the rest of
// longer words is ignored.
const (
	maxSigns = 3  // characters
	maxPart  = 40 // bytes
)

// joins reports whether a run of signs joins the words beside it.
func joins(run string) bool { return consists(run, joining) }

func consists(run, of string) bool {
	if len(run) == 1 {
		return strings.IndexByte(of, run[0]) >= 0
	}
	return utf8.RuneCountInString(run) <= maxSigns &&
		!strings.ContainsFunc(run, func(r rune) bool { return !strings.ContainsRune(of, r) })
}

// before yields the ends of a run of signs that belong to the word after them. inside: there is a word before them.
func before(run string, inside bool) iter.Seq[string] {
	return func(yield func(string) bool) {
		for n, i := 1, len(run); i > 0 && n <= maxSigns; n++ {
			r, size := utf8.DecodeLastRuneInString(run[:i])
			i -= size
			if !strings.ContainsRune(leading, r) {
				return
			}
			if i > 0 {
				if other, _ := utf8.DecodeLastRuneInString(run[:i]); other == r {
					continue
				}
			} else if inside && !strings.ContainsRune(leadingInside, r) {
				return
			}
			if !yield(run[i:]) {
				return
			}
		}
	}
}

// after yields the beginnings of a run of signs that belong to the word before them. inside: a word follows them.
func after(run string, inside bool) iter.Seq[string] {
	return func(yield func(string) bool) {
		for n, i := 1, 0; i < len(run) && n <= maxSigns; n++ {
			r, size := utf8.DecodeRuneInString(run[i:])
			i += size
			if !strings.ContainsRune(trailing, r) {
				return
			}
			if i < len(run) {
				if other, _ := utf8.DecodeRuneInString(run[i:]); other == r {
					continue
				}
			} else if inside && !strings.ContainsRune(trailingInside, r) {
				return
			}
			if !yield(run[:i]) {
				return
			}
		}
	}
}

// coded returns a run of signs in full-width forms, since the databases split tokens at the signs of ASCII.
func coded(run string) string {
	return strings.Map(func(r rune) rune {
		if '!' <= r && r <= '~' {
			return r - '!' + '！'
		}
		return r
	}, run)
}

// Tokens of compounds.

func pairToken(left, run, right string) string {
	return clip(left, maxPart) + coded(run) + clip(right, maxPart)
}

func beforeToken(run, word string) string { return coded(run) + clip(word, maxPart) }

func afterToken(word, run string) string { return clip(word, maxPart) + coded(run) }

// Literal is a condition on messages: they contain a folded text, not as a part of another word.
type Literal struct {
	forms    []string // any of these suffices
	lookups  []Term   // the index entry of every matching message matches all
	anywhere bool     // also as a part of another word
	quoted   bool     // a part of a phrase, and not highlighted
}

// isIn reports whether a folded text contains the literal.
func (l *Literal) isIn(text string) bool {
	return slices.ContainsFunc(l.forms, func(form string) bool { _, ok := l.find(text, form, 0); return ok })
}

// find returns the offset of the first occurrence of one of the forms in a folded text, at or after an offset.
func (l *Literal) find(text, form string, at int) (int, bool) {
	for {
		i := strings.Index(text[at:], form)
		if i < 0 {
			return 0, false
		}
		at += i
		if l.anywhere || fits(text, at, at+len(form)) {
			return at, true
		}
		_, size := utf8.DecodeRuneInString(text[at:])
		at += size
	}
}

// fits reports whether the words and signs at the ends of [from, to) end there.
func fits(text string, from, to int) bool {
	if from > 0 {
		first, _ := utf8.DecodeRuneInString(text[from:])
		other, _ := utf8.DecodeLastRuneInString(text[:from])
		switch {
		case isMark(first): // nobody searches for a mark without its letter on purpose
		case dense(first):
			if stacks(other) {
				return false
			}
		case inWord(first):
			if isWord(other) {
				return false
			}
		case other == first, isWord(other) && !strings.ContainsRune(leadingInside, first):
			return false
		}
	}
	if to == len(text) {
		return true
	}
	last, _ := utf8.DecodeLastRuneInString(text[:to])
	other, _ := utf8.DecodeRuneInString(text[to:])
	switch {
	case isMark(other):
		return false
	case dense(last):
		return !stacks(last) || !inWord(other)
	case inWord(last):
		return !isWord(other)
	}
	return other != last && (!isWord(other) || strings.ContainsRune(trailingInside, last))
}
