package apidocs

import (
	_ "embed" // words.txt
	"slices"
	"strings"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/modules/kit/openapi"
)

// words.txt lists words with which people search for operations, besides those in their descriptions.
//
//go:embed data/words.txt
var wordsText string

var otherWords = readLines(wordsText)

// readLines reads lines that begin with a name. It returns what follows, by name.
func readLines(text string) map[string]string {
	all := map[string]string{}
	for line := range strings.Lines(text) {
		name, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		all[name] = rest
	}
	return all
}

// code is an error code, with the example that stands for all operations, if there is one.
type code struct {
	Name, Meaning string
	Refusal       refusal
}

// refusal is an error of an operation, with an example as JSON.
type refusal struct {
	Code   string
	Status int
	Text   string
	When   string // "": not known
}

// refusals returns the errors of an operation that have examples of their own, and the codes of the others. It keeps
// the examples of general ones.
func (p *pages) refusals(d *openapi.Document, o *openapi.Operation) (own []refusal, others []string) {
	for _, r := range d.Refusals(o) {
		one := refusal{string(r.Code()), r.Status, string(r.Response), openapi.Meanings()[r.Code()]}
		if r.General() {
			p.general[one.Code] = one
		} else {
			own = append(own, one)
		}
	}
	for _, c := range o.Codes {
		if !slices.ContainsFunc(own, func(r refusal) bool { return r.Code == string(c) }) {
			others = append(others, string(c))
		}
	}
	return own, others
}

// errorCodes returns the codes with their meanings. Codes of modules may have none.
func (p *pages) errorCodes() []code {
	var all []code
	for _, f := range p.errors {
		if f.Name != "code" {
			continue
		}
		for _, value := range f.Schema.Enum {
			name := strings.Trim(literal(value), `"`)
			all = append(all, code{name, openapi.Meanings()[errs.Code(name)], p.general[name]})
		}
	}
	return all
}

// errorsPage is the content of the page about errors.
type errorsPage struct {
	Fields []field
	Codes  []code
}
