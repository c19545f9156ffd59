// Package search implements full-text search independently of the database: it splits texts into words, parses queries,
// matches messages and highlights matches. SQLite and PostgreSQL index the tokens that this package produces, so
// searches find the same messages on both.
package search

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/english"
	"golang.org/x/text/unicode/norm"
)

// word is a run of letters and digits: the bytes [from, to) of a text. Characters of dense scripts, which are written
// without spaces between words, form separate runs.
type word struct {
	from, to int
	dense    bool // consists of characters of dense scripts
}

// dense reports whether a character belongs to a dense script.
func dense(r rune) bool {
	const first = 'ᄀ' // the first character of a dense script
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

// fold normalizes case and compatibility characters.
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

// maxWord is the maximum length of a word in bytes. The rest is ignored.
const maxWord = 120

// Minimum and maximum length of the prefixes in the index, in characters. Longer prefixes are looked up by their first
// maxPrefix characters.
const (
	minPrefix = 3
	maxPrefix = 6
)

// prefixMark marks prefixes in the index. It does not occur in words.
const prefixMark = "ˇ"

// prefixesOf returns the indexed prefixes of a word.
func prefixesOf(w string) []string {
	var out []string
	n := 0
	for i := range w {
		if n >= minPrefix {
			out = append(out, prefixMark+w[:i])
		}
		if n++; n > maxPrefix {
			break
		}
	}
	return out
}

// Tokens returns a text's index entry: each word, its stem and its prefixes, and for dense scripts each character and
// each pair of adjacent characters. The tokens are distinct and separated by spaces.
func Tokens(text string) string { return new(Tokenizer).Tokens(text) }

// Tokenizer computes the index entries of many texts. It remembers the tokens of words, most of which recur.
type Tokenizer struct {
	known map[string][]string
	seen  map[string]bool
}

// Limits of what a Tokenizer remembers.
const (
	maxKnown     = 50_000 // words
	maxKnownWord = 32     // bytes per word
)

// Tokens is like the function Tokens.
func (k *Tokenizer) Tokens(text string) string {
	if k.known == nil {
		k.known, k.seen = map[string][]string{}, map[string]bool{}
	}
	clear(k.seen)
	var b strings.Builder
	for _, w := range words(text) {
		for _, t := range k.tokensOf(text[w.from:w.to], w.dense) {
			if k.seen[t] {
				continue
			}
			k.seen[t] = true
			if b.Len() > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(t)
		}
	}
	return b.String()
}

// tokensOf returns the tokens of a word, including its prefixes. They may be repeated.
func (k *Tokenizer) tokensOf(word string, dense bool) []string {
	if dense {
		return tokensOf(word, true)
	}
	if known, ok := k.known[word]; ok {
		return known
	}
	var out []string
	for _, t := range tokensOf(word, false) {
		if t != "" {
			out = append(append(out, t), prefixesOf(t)...)
		}
	}
	if len(k.known) == maxKnown {
		clear(k.known)
	}
	if len(word) <= maxKnownWord {
		k.known[strings.Clone(word)] = out
	}
	return out
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

// parts folds a word that is not dense. Folding may insert spaces, so the result may be several words.
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

// clip truncates a word to maxWord bytes.
func clip(w string) string {
	if len(w) <= maxWord {
		return w
	}
	return strings.ToValidUTF8(w[:maxWord], "")
}

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
