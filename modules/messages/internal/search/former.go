package search

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Index entries have a former form until the server has written them again after an upgrade. They have tokens of words
// with accents, have none of compounds, and treat scripts other than these as written with spaces.
func formerlyDense(r rune) bool {
	return r >= 'ᄀ' && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul)
}

// isNewlyDense reports whether entries of the former form lack a character's units.
func isNewlyDense(r rune) bool { return !formerlyDense(r) }

// formerWord returns tokens such that every entry of the former form contains at least one of them if the longest word
// of a text could be found by it.
func formerWord(source string) []string {
	w, isDense := longestFormer(strings.ToLower(norm.NFKC.String(source)))
	if w == "" {
		return nil
	}
	if isDense {
		return []string{w[:lengthOf(w, 2)]}
	}
	return termOf(clip(w, maxWord)).lookup(false)
}

// longestFormer returns the longest run of letters and digits of a text that are all dense, or all not.
func longestFormer(text string) (longest string, isDense bool) {
	for _, field := range strings.FieldsFunc(text, func(r rune) bool { return !inWord(r) }) {
		for field != "" {
			first, _ := utf8.DecodeRuneInString(field)
			end := strings.IndexFunc(field, func(r rune) bool {
				return formerlyDense(r) != formerlyDense(first) && !unicode.IsMark(r)
			})
			if end < 0 {
				end = len(field)
			}
			if end > len(longest) {
				longest, isDense = field[:end], formerlyDense(first)
			}
			field = field[end:]
		}
	}
	return longest, isDense
}

// lengthOf returns the length of the first n characters of a text, in bytes.
func lengthOf(text string, n int) int {
	for i := range text {
		if n == 0 {
			return i
		}
		n--
	}
	return len(text)
}
