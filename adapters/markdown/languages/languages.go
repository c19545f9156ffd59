// Package languages lists the languages of code blocks by the names that users write after a fence.
//
// Clients label a block with the name of the Pygments lexer of its language, and organizations attach playgrounds to
// that name. names.txt lists lexers and their aliases; generate (make languages) writes it from Pygments.
package languages

import (
	_ "embed"
	"strings"
)

//go:embed names.txt
var names string

// Language is a language with a Pygments lexer.
type Language struct {
	Name    string   // of the lexer
	Aliases []string // in lower case, preferred one first; unique among all languages
}

// All returns the languages ordered by name.
func All() []Language {
	lines := strings.Split(strings.TrimSpace(names), "\n")
	out := make([]Language, len(lines))
	for i, line := range lines {
		words := strings.Split(line, "\t")
		out[i] = Language{words[0], words[1:]}
	}
	return out
}
