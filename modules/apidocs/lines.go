package apidocs

import (
	_ "embed" // codes.txt and words.txt
	"strings"
)

// codes.txt says what each error code means.
//
//go:embed data/codes.txt
var codesText string

// words.txt lists words with which people search for operations, besides those in their descriptions.
//
//go:embed data/words.txt
var wordsText string

var (
	meanings   = readLines(codesText)
	otherWords = readLines(wordsText)
)

// readLines reads lines that begin with a name. It returns what follows, by name.
func readLines(text string) map[string]string {
	all := map[string]string{}
	for line := range strings.Lines(text) {
		name, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		all[name] = rest
	}
	return all
}

// code is an error code.
type code struct{ Name, Meaning string }

// errorCodes returns the codes with their meanings. Codes of modules may have none.
func (p *pages) errorCodes() []code {
	var all []code
	for _, f := range p.errors {
		if f.Name != "code" {
			continue
		}
		for _, value := range f.Schema.Enum {
			name := strings.Trim(literal(value), `"`)
			all = append(all, code{name, meanings[name]})
		}
	}
	return all
}

// errorsPage is the content of the page about errors.
type errorsPage struct {
	Fields []field
	Codes  []code
}
