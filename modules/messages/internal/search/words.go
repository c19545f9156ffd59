// Package search implements full-text search independently of the database: it splits texts into words, parses queries,
// matches messages and highlights matches. SQLite and PostgreSQL index the tokens that this package produces, so
// searches find the same messages on both.
//
// All texts are folded first, so that accents and case make no difference. A word is a run of letters and digits, which
// is found by its stem and by its beginning. Dense scripts, which are written without spaces, are searched by units (a
// letter and its marks) and pairs of them. Words with signs between or beside them, such as AT&T, C++ or an address,
// are searched literally.
package search

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/english"
)

// pieceKind is a kind of text between spaces.
type pieceKind int8

const (
	word      pieceKind = iota // letters, digits and their marks
	denseText                  // a run of characters of dense scripts
	signs                      // a run of other characters
)

// piece is the range of bytes [from, to) of a folded text.
type piece struct {
	from, to int
	kind     pieceKind
}

// pieces yields the pieces of a folded text, without the spaces.
func pieces(text string) iter.Seq[piece] {
	return func(yield func(piece) bool) {
		for i := 0; i < len(text); {
			r, size := decode(text[i:])
			p := piece{from: i, kind: kindOf(r)}
			for i += size; i < len(text); i += size {
				if end := sameClass(text, i); end > i {
					i, size, r = end, 0, rune(text[end-1])
					continue
				}
				next, n := decode(text[i:])
				if size = n; !continues(p.kind, r, next) {
					break
				}
				r = next
			}
			if p.to = i; !isSpace(rune(text[p.from])) && !yield(p) {
				return
			}
		}
	}
}

// sameClass returns the end of the ASCII characters from an offset on that are of the same class as the one before it.
func sameClass(text string, i int) int {
	if text[i-1] >= utf8.RuneSelf {
		return i
	}
	for class := classes[text[i-1]]; i < len(text) && text[i] < utf8.RuneSelf && classes[text[i]] == class; {
		i++
	}
	return i
}

// classes distinguishes letters and digits, spaces, and other characters of ASCII.
var classes = func() (of [utf8.RuneSelf]int8) {
	for r := range rune(utf8.RuneSelf) {
		switch {
		case inWord(r):
			of[r] = 1
		case isSpace(r):
			of[r] = 2
		}
	}
	return of
}()

// decode returns the first character of a text and its size.
func decode(text string) (rune, int) {
	if c := text[0]; c < utf8.RuneSelf {
		return rune(c), 1
	}
	return utf8.DecodeRuneInString(text)
}

func kindOf(r rune) pieceKind {
	switch {
	case !inWord(r):
		return signs
	case dense(r):
		return denseText
	}
	return word
}

// continues reports whether a character continues a piece that ends with the character last.
func continues(kind pieceKind, last, r rune) bool {
	switch kind {
	case word:
		return isMark(r) || inWord(r) && !dense(r)
	case denseText:
		return isMark(r) || inWord(r) && dense(r) || r == tsheg
	}
	return !inWord(r) && isSpace(r) == isSpace(last)
}

func isSpace(r rune) bool { return r <= ' ' && unicode.IsSpace(r) }

// stem returns the English stem of a folded word.
func stem(w string) string {
	for i := range len(w) {
		if w[i] < 'a' || w[i] > 'z' {
			return w
		}
	}
	env := snowballstem.NewEnv(w)
	english.Stem(env)
	return env.Current()
}

// maxWord is the maximum length of a word in bytes. The rest is ignored.
const maxWord = 120

// clip truncates a text to a number of bytes.
func clip(w string, limit int) string {
	if len(w) <= limit {
		return w
	}
	return strings.ToValidUTF8(w[:limit], "")
}

// isSingle reports whether a word has only one letter or digit.
func isSingle(w string) bool {
	_, size := utf8.DecodeRuneInString(w)
	return size == len(w)
}

// standsAlone reports whether the word [from, to) of a folded text is not merely a part of something: a single letter
// in "can't", "AT&T" or "C++" is.
func standsAlone(text string, from, to int) bool {
	if !isSingle(text[from:to]) {
		return true
	}
	if to < len(text) {
		r, size := utf8.DecodeRuneInString(text[to:])
		if r == '+' || r == '#' || binds(r) && beginsWord(text[to+size:]) {
			return false
		}
	}
	r, size := utf8.DecodeLastRuneInString(text[:from])
	return !binds(r) || !endsWord(text[:from-size])
}

// binds reports whether a sign makes one of the words beside it.
func binds(r rune) bool { return strings.ContainsRune("'&._@+#·", r) }

func beginsWord(text string) bool {
	r, _ := utf8.DecodeRuneInString(text)
	return isWord(r)
}

func endsWord(text string) bool {
	r, _ := utf8.DecodeLastRuneInString(text)
	return isWord(r)
}

func isWord(r rune) bool { return inWord(r) && !dense(r) }

// stopWords contains words that occur in almost every English text. A query ignores them if it has other words.
var stopWords = func() map[string]bool {
	all := map[string]bool{}
	for _, w := range strings.Fields(`a an and are as at be been but by can did do does for from had has have he her
		him his how i if in into is it its me my no not of on or our she so some than
		that the their them then there these they this to too us was we were what when
		where which who why will with would you your`) {
		all[w] = true
	}
	return all
}()
