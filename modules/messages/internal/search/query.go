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
	Prefix string // "": none
}

// Query is a conjunction of terms and phrases.
type Query struct {
	Terms   []Term
	Phrases []string // in lower case; must occur literally in the content or the topic
}

// Maximum size of a query.
const (
	maxQuery = 1000 // code points
	maxTerms = 50
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
	parts := strings.Split(text, `"`)
	if len(parts)%2 == 0 { // the last quotation mark is not closed
		last := len(parts) - 1
		parts = append(parts[:last-1], parts[last-1]+" "+parts[last])
	}
	for i, part := range parts {
		if i%2 == 1 {
			if p := strings.ToLower(strings.TrimSpace(part)); p != "" {
				q.Phrases = append(q.Phrases, p)
			}
		}
		q.add(part)
	}
	q.dropStopWords()
	if err := CheckSize(q.Size()); err != nil {
		return q, err
	}
	if len(q.Terms)+len(q.Phrases) == 0 { // only punctuation, which is searched literally
		signs := strings.ToLower(strings.TrimSpace(strings.ReplaceAll(text, `"`, "")))
		if signs == "" {
			return q, errs.Bad("operand cannot be blank.")
		}
		q.Phrases = []string{signs}
	}
	return q, nil
}

// CheckSize checks the total number of words and phrases in a request's queries. Errors: BadRequest.
func CheckSize(n int) error {
	if n > maxTerms {
		return errs.Bad("The search has too many words (maximum %d)", maxTerms)
	}
	return nil
}

func (q *Query) add(text string) {
	for _, w := range words(text) {
		s := text[w.from:w.to]
		if !w.dense {
			for _, t := range strings.FieldsFunc(fold(s), func(r rune) bool { return !inWord(r) }) {
				q.Terms = append(q.Terms, termOf(clip(t)))
			}
			continue
		}
		tokens := tokensOf(s, true)
		if utf8.RuneCountInString(s) > 1 {
			tokens = slices.DeleteFunc(tokens, func(t string) bool { return utf8.RuneCountInString(t) == 1 })
			q.Phrases = append(q.Phrases, strings.ToLower(s))
		}
		for _, t := range tokens {
			q.Terms = append(q.Terms, Term{Exact: []string{t}})
		}
	}
}

func termOf(w string) Term {
	t := Term{Exact: []string{w}}
	if s := stem(w); s != w {
		t.Exact = append(t.Exact, s)
	}
	if utf8.RuneCountInString(w) >= minPrefix {
		t.Prefix = w
	}
	return t
}

// dropStopWords removes stop words, unless the query has no other words.
func (q *Query) dropStopWords() {
	isStop := func(t Term) bool { return stopWords[t.Exact[0]] }
	if slices.ContainsFunc(q.Terms, func(t Term) bool { return !isStop(t) }) {
		q.Terms = slices.DeleteFunc(q.Terms, isStop)
	}
}

// And returns the conjunction of two queries.
func (q Query) And(o Query) Query {
	return Query{Terms: slices.Concat(q.Terms, o.Terms), Phrases: slices.Concat(q.Phrases, o.Phrases)}
}

// Lookup returns tokens such that every matching message contains at least one of them. Not every message that contains
// one matches, since the index contains only prefixes up to a maximum length.
func (t Term) Lookup() []string {
	if t.Prefix == "" {
		return t.Exact
	}
	first, n := t.Prefix, 0
	for i := range t.Prefix {
		if n++; n > maxPrefix {
			first = t.Prefix[:i]
			break
		}
	}
	return append(slices.Clone(t.Exact), prefixMark+first)
}

// Size returns the number of words and phrases.
func (q Query) Size() int { return len(q.Terms) + len(q.Phrases) }
