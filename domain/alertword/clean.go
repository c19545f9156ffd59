// Package alertword holds users' alert words and the index that finds them in messages.
package alertword

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/stoachat/stoa/domain/errs"
)

// Limits on one user's list.
const (
	MaxLength = 100 // code points per word
	MaxCount  = 1000
)

// Key returns the form in which words are compared.
func Key(word string) string { return strings.ToLower(word) }

// Clean trims the words that a client sent, and drops empty words and case-insensitive duplicates. Errors:
// BadRequest.
func Clean(sent []string) ([]string, error) {
	var words []string
	known := map[string]bool{}
	for i, s := range sent {
		w := strings.TrimSpace(s)
		switch {
		case utf8.RuneCountInString(w) > MaxLength:
			return nil, errs.Bad("alert_words[%d] is too long (limit: %d characters)", i, MaxLength)
		case !utf8.ValidString(w) || strings.ContainsRune(w, 0):
			return nil, errs.Bad("alert_words[%d] is not valid text", i)
		case w == "" || known[Key(w)]:
			continue
		}
		known[Key(w)] = true
		words = append(words, w)
	}
	return words, nil
}

// Add returns the words of sent that are not stored yet. Errors: BadRequest if the list would become too long.
func Add(stored, sent []string) ([]string, error) {
	fresh := slices.DeleteFunc(slices.Clone(sent), func(w string) bool { return has(stored, w) })
	if len(stored)+len(fresh) > MaxCount {
		return nil, errs.Bad("Too many alert words (limit: %d). Remove some first.", MaxCount)
	}
	return fresh, nil
}

// Common returns the stored words that sent contains, ignoring case.
func Common(stored, sent []string) []string {
	return slices.DeleteFunc(slices.Clone(stored), func(w string) bool { return !has(sent, w) })
}

func has(words []string, w string) bool {
	return slices.ContainsFunc(words, func(o string) bool { return Key(o) == Key(w) })
}
