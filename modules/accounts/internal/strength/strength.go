// Package strength estimates how many guesses a password withstands: from lists of words, names and common passwords,
// patterns on keyboards, dates, sequences and repetitions, as in "zxcvbn: Low-Budget Password Strength Estimation"
// (Wheeler, USENIX Security 2016).
package strength

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The time of an estimate grows with the square of the length. Within these limits, it takes less than 0.1 s.
const (
	maxBytes      = 64 // of the password; what follows would only make it harder to guess
	maxKnown      = 24 // words about the person
	maxKnownBytes = 64 // of such a word
	minKnown      = 3  // code points of such a word
)

// Guesses returns how many guesses are expected to find a password, if whoever guesses knows texts about the person,
// such as the name and the email address.
func Guesses(password string, about ...string) float64 {
	password = cut(password, maxBytes)
	if password == "" {
		return 0
	}
	return estimate([]rune(password), newDictionary(ranked(words(about))))
}

// Score returns zxcvbn's score, from 0 to 4, for a password that takes this many guesses.
func Score(guesses float64) int {
	score := 0
	for _, limit := range []float64{1e3, 1e6, 1e8, 1e10} {
		if guesses >= limit {
			score++
		}
	}
	return score
}

// words returns the words of texts, and the texts themselves, also without what is between their words, in lower case.
func words(texts []string) []string {
	var all []string
	for _, text := range texts {
		text = strings.ToLower(strings.TrimSpace(cut(text, maxKnown*maxKnownBytes)))
		parts := strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
		for _, word := range append(parts, text, strings.Join(parts, "")) {
			n := utf8.RuneCountInString(word)
			if n >= minKnown && len(word) <= maxKnownBytes && len(all) < maxKnown && !slices.Contains(all, word) {
				all = append(all, word)
			}
		}
	}
	return all
}

// cut returns the beginning of a text, at most as many bytes.
func cut(s string, bytes int) string {
	if len(s) <= bytes {
		return s
	}
	for bytes > 0 && !utf8.RuneStart(s[bytes]) {
		bytes--
	}
	return s[:bytes]
}
