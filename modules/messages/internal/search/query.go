package search

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/stoachat/stoa/domain/errs"
)

// Term is a condition on messages: a message matches if it contains one of the exact tokens or a token with the prefix.
type Term struct {
	Exact  []string
	Prefix string   // "": none
	quoted bool     // a part of a phrase, and not highlighted
	former []string // like lookup, for entries of the former form
}

// Query is a conjunction of terms, literals and phrases.
type Query struct {
	Terms    []Term
	Literals []Literal
	Phrases  []string // in lower case; must occur exactly in the content or the topic
}

// Limits on the size of a query.
const (
	maxQuery   = 1000 // code points
	maxTerms   = 50   // terms, literals and phrases
	maxLookups = 50   // terms to look up in the index
	perLiteral = 10   // of them, for one literal
)

// Parse parses a query, which consists of words and quoted phrases. The words of a phrase are also terms of the query.
// Errors: BadRequest.
func Parse(text string) (Query, error) {
	var q Query
	if utf8.RuneCountInString(text) > maxQuery {
		return q, errs.Bad("The search is too long (maximum %d characters)", maxQuery)
	}
	if strings.TrimSpace(text) == "" {
		return q, errs.Bad("operand cannot be blank.")
	}
	text = strings.NewReplacer("“", `"`, "”", `"`, "„", `"`).Replace(text) // as phones write them
	parts := strings.Split(text, `"`)
	if len(parts)%2 == 0 { // the last quotation mark is not closed
		last := len(parts) - 1
		parts = append(parts[:last-1], parts[last-1]+" "+parts[last])
	}
	p := parser{q: &q}
	for i, part := range parts {
		if i%2 == 1 {
			if phrase := exactly(strings.TrimSpace(part)); phrase != "" {
				q.Phrases = append(q.Phrases, phrase)
			}
		}
		p.quoted = i%2 == 1
		p.add(part)
	}
	p.dropStopWords()
	if q.Size() == 0 {
		q.addSigns(strings.ReplaceAll(text, `"`, ""))
	}
	if q.Size() == 0 {
		return q, errs.Bad("operand cannot be blank.")
	}
	return q, CheckSize(q.Size())
}

// addSigns adds the parts of a text without words, which are searched literally.
func (q *Query) addSigns(text string) {
	for _, part := range strings.Fields(text) {
		if form := fold(part); form != "" {
			q.Literals = append(q.Literals, Literal{forms: []string{form}, anywhere: true})
		} else { // only accents
			q.Phrases = append(q.Phrases, exactly(part))
		}
	}
}

// CheckSize checks the total number of words and phrases in a request's queries. Errors: BadRequest.
func CheckSize(n int) error {
	if n > maxTerms {
		return errs.Bad("The search has too many words (maximum %d)", maxTerms)
	}
	return nil
}

// And returns the conjunction of two queries.
func (q Query) And(o Query) Query {
	return Query{
		Terms: slices.Concat(q.Terms, o.Terms), Literals: slices.Concat(q.Literals, o.Literals),
		Phrases: slices.Concat(q.Phrases, o.Phrases),
	}
}

// Size returns the number of words and phrases.
func (q Query) Size() int { return len(q.Terms) + len(q.Literals) + len(q.Phrases) }

// Lookups returns lists of tokens such that the index entry of every matching message contains a token of each list.
// Not every message whose entry does so matches. former: some of the entries have the former form.
func (q Query) Lookups(former bool) [][]string {
	var all [][]string
	for _, t := range q.Terms {
		all = append(all, t.lookup(former))
	}
	for _, l := range q.Literals {
		for _, t := range l.lookups {
			all = append(all, t.lookup(former))
		}
	}
	return all[:min(len(all), maxLookups)]
}

// lookup returns tokens such that the index entry of every matching message contains at least one of them. The index
// contains only prefixes up to a maximum length.
func (t Term) lookup(former bool) []string {
	all := slices.Clone(t.Exact)
	if t.Prefix != "" {
		all = append(all, prefixMark+t.Prefix[:lengthOf(t.Prefix, maxPrefix)])
	}
	if former {
		for _, token := range t.former {
			if !slices.Contains(all, token) {
				all = append(all, token)
			}
		}
	}
	return all
}
