package search

import (
	"iter"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/rangetable"
)

// firstDense is the first character of a dense script.
const firstDense = 0x0E00

// denseScripts are written without spaces between words. The prolonged sound mark is used with several scripts.
var denseScripts = rangetable.Merge(
	unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Bopomofo, unicode.Yi,
	unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar, unicode.Tibetan,
	unicode.Tai_Le, unicode.New_Tai_Lue, unicode.Tai_Tham, unicode.Tai_Viet, unicode.Javanese, unicode.Balinese,
	rangetable.New('ー'),
)

// dense reports whether a character belongs to a dense script.
func dense(r rune) bool { return r >= firstDense && unicode.Is(denseScripts, r) }

// tsheg separates the syllables of Tibetan, not its words.
const tsheg = '\u0F0B'

// stacks reports whether a mark puts the letter after it below the one before it, so that both form one unit.
func stacks(r rune) bool {
	switch r {
	case 0x17D2, 0x1039, 0x1A60, 0xA9C0, 0x1B44: // Khmer, Burmese, Tai Tham, Javanese, Balinese
		return true
	}
	return false
}

// isMark reports whether a character combines with the one before it.
func isMark(r rune) bool { return r >= 0x300 && unicode.IsMark(r) }

func inWord(r rune) bool {
	if r < utf8.RuneSelf {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
	}
	return unicode.IsLetter(r) || unicode.IsDigit(r) || isMark(r)
}

// maxUnit is the maximum length of a unit in tokens, in bytes. The rest is ignored.
const maxUnit = 36

// units yields the units of a run of dense characters: each letter with its marks and the letters stacked below it.
func units(run string) iter.Seq[string] {
	return func(yield func(string) bool) {
		start, last := 0, rune(0)
		for i, r := range run {
			end := r == tsheg || i > start && !isMark(r) && !stacks(last)
			if end && start < i && !yield(clip(run[start:i], maxUnit)) {
				return
			}
			if end {
				start = i
			}
			if r == tsheg {
				start += utf8.RuneLen(tsheg)
			}
			last = r
		}
		if start < len(run) {
			yield(clip(run[start:], maxUnit))
		}
	}
}
