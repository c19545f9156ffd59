// Package search is full text search without a database: what the words of a text are, what a query asks for, whether a
// message matches, and what of it is shown as matching. The index of either database holds the words that this package
// finds, so both find the same.
package search

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/english"
	"golang.org/x/text/unicode/norm"
)

// word is a run of letters and digits of a text, as bytes [from, to) of it. Scripts that are written without blanks are
// runs of their own.
type word struct {
	from, to int
	dense    bool // written without blanks between words
}

// dense tells whether a character is of a script in which words are not set apart.
func dense(r rune) bool {
	const first = 'ᄀ' // all before it are of other scripts
	return r >= first && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul)
}

func inWord(r rune) bool {
	if r < utf8.RuneSelf {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
	}
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
}

// words finds the words of a text.
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

// fold makes equal what is the same word in another spelling.
func fold(s string) string { return strings.ToLower(norm.NFKC.String(s)) }

// stem gives the English stem of a folded word.
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

// maxWord is how many bytes of a word count.
const maxWord = 120

// The lengths of the beginnings of words that the index holds, in characters. A longer one is looked up by its first
// mostBegin.
const (
	leastBegin = 3
	mostBegin  = 6
)

// begin marks the beginning of a word in the index; no word holds the sign.
const begin = "ˇ"

// beginnings gives what the index holds of the beginnings of a word.
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

// Tokens gives what the index holds of a text: each word, its stem and its beginnings; of dense scripts each character
// and each two next to each other. Each once, with a blank between.
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

// parts returns the folded words of a word that is not dense: folding may put blanks in.
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

// clip cuts a word that is longer than any.
func clip(w string) string {
	if len(w) <= maxWord {
		return w
	}
	return strings.ToValidUTF8(w[:maxWord], "")
}

// stop are the words that are in every English text; a query that has others as well does without them.
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
