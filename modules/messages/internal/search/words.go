// Package search implements full text search independently of the database: it splits texts into words, parses queries,
// matches messages and highlights matches. Both databases index the words that this package finds, so both find the
// same messages.
package search

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/english"
	"golang.org/x/text/unicode/norm"
)

// word is a run of letters and digits, as bytes [from, to) of a text. Scripts without spaces between words form
// separate runs.
type word struct {
	from, to int
	dense    bool // of a script without spaces between words
}

// dense reports whether a character belongs to a script without spaces between words.
func dense(r rune) bool {
	const first = 'ᄀ' // the first dense character
	return r >= first && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul)
}

func inWord(r rune) bool {
	if r < utf8.RuneSelf {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
	}
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
}

// words returns the words of a text.
func words(text string) []word {
	out := make([]word, 0, len(text)/6)
	open := false
	for i, r := range text {
		switch {
		case !inWord(r):
			open = false
		case !open || out[len(out)-1].dense != dense(r) && !unicode.IsMark(r):
			out = append(out, word{i, i, dense(r)})
			open = true
		}
		if open {
			out[len(out)-1].to = i + max(utf8.RuneLen(r), 1)
		}
	}
	return out
}

// fold unifies spellings of the same word.
func fold(s string) string { return strings.ToLower(norm.NFKC.String(s)) }

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

// maxWord is the number of bytes of a word that count.
const maxWord = 120

// Lengths of the prefixes of words in the index, in characters. Longer prefixes are looked up by their first mostBegin
// characters.
const (
	leastBegin = 3
	mostBegin  = 6
)

// begin marks prefixes in the index. No word contains it.
const begin = "ˇ"

// beginnings returns the indexed prefixes of a word.
func beginnings(w string) []string {
	var out []string
	n := 0
	for i := range w {
		if n >= leastBegin {
			out = append(out, begin+w[:i])
		}
		if n++; n > mostBegin {
			break
		}
	}
	return out
}

// Tokens returns the index entry of a text: each word, its stem and its prefixes; for dense scripts each character and
// each pair of adjacent characters. Tokens are unique and separated by spaces.
func Tokens(text string) string {
	var b strings.Builder
	seen := map[string]bool{}
	add := func(t string) {
		if t == "" || seen[t] {
			return
		}
		seen[t] = true
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(t)
	}
	for _, w := range words(text) {
		for _, t := range tokensOf(text[w.from:w.to], w.dense) {
			add(t)
			if !w.dense {
				for _, part := range beginnings(t) {
					add(part)
				}
			}
		}
	}
	return b.String()
}

func tokensOf(w string, dense bool) []string {
	if !dense {
		var out []string
		for _, part := range parts(w) {
			out = append(out, part, stem(part))
		}
		return out
	}
	var out []string
	last := ""
	for _, r := range fold(w) {
		one := string(r)
		if !inWord(r) {
			last = ""
			continue
		}
		out = append(out, one)
		if last != "" {
			out = append(out, last+one)
		}
		last = one
	}
	return out
}

// parts returns the folded words of a word that is not dense, since folding may insert spaces.
func parts(w string) []string {
	folded := fold(w)
	if !strings.ContainsFunc(folded, func(r rune) bool { return !inWord(r) }) {
		return []string{clip(folded)}
	}
	all := strings.FieldsFunc(folded, func(r rune) bool { return !inWord(r) })
	for i, p := range all {
		all[i] = clip(p)
	}
	return all
}

// clip truncates a word to maxWord.
func clip(w string) string {
	if len(w) <= maxWord {
		return w
	}
	return strings.ToValidUTF8(w[:maxWord], "")
}

// stop are words that occur in every English text. Queries with other words ignore them.
var stop = func() map[string]bool {
	all := map[string]bool{}
	for _, w := range strings.Fields(`a an and are as at be been but by can did do does for from had has have he her
		him his how i if in into is it its me my no not of on or our she so some than
		that the their them then there these they this to too us was we were what when
		where which who why will with would you your`) {
		all[w] = true
	}
	return all
}()
