package search

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Matcher matches messages against several queries. It reads each message only once, whatever the number of terms.
type Matcher struct {
	all      clause
	excluded []clause
	exact    map[string][]int // numbers of the terms that a token matches
	prefixes map[string][]int // numbers of the terms that a prefix of a token matches
	lengths  []int            // distinct lengths of the keys of prefixes, in bytes
	initials map[rune]bool    // first characters of the keys of exact and prefixes
	words    int              // number of terms
	phrases  bool             // whether there are phrases
}

// clause is a query whose terms have the numbers [from, to).
type clause struct {
	from, to int
	quoted   []bool // for each term
	literals []Literal
	phrases  []string
}

// NewMatcher returns a Matcher for messages that match the query all and none of the queries excluded.
func NewMatcher(all Query, excluded ...Query) *Matcher {
	m := &Matcher{exact: map[string][]int{}, prefixes: map[string][]int{}, initials: map[rune]bool{}}
	m.all = m.add(all)
	for _, q := range excluded {
		m.excluded = append(m.excluded, m.add(q))
	}
	return m
}

func (m *Matcher) add(q Query) clause {
	c := clause{from: m.words, to: m.words + len(q.Terms), literals: q.Literals, phrases: q.Phrases}
	m.words, m.phrases = c.to, m.phrases || len(q.Phrases) > 0
	for i, t := range q.Terms {
		c.quoted = append(c.quoted, t.quoted)
		for _, w := range t.Exact {
			m.exact[w] = append(m.exact[w], c.from+i)
			m.initials[initial(w)] = true
		}
		if t.Prefix == "" {
			continue
		}
		m.prefixes[t.Prefix] = append(m.prefixes[t.Prefix], c.from+i)
		m.initials[initial(t.Prefix)] = true
		if !slices.Contains(m.lengths, len(t.Prefix)) {
			m.lengths = append(m.lengths, len(t.Prefix))
		}
	}
	return c
}

func initial(w string) rune {
	r, _ := utf8.DecodeRuneInString(w)
	return r
}

// text is a text in the forms in which it is searched.
type text struct {
	folded string
	exact  string // if there are phrases
}

func (m *Matcher) textOf(source string) text {
	t := text{folded: fold(source)}
	if m.phrases {
		t.exact = exactly(source)
	}
	return t
}

// Matches reports whether a message matches.
func (m *Matcher) Matches(content, topic string) bool {
	texts := []text{m.textOf(content), m.textOf(topic)}
	if !m.all.isIn(texts) {
		return false
	}
	found := make([]bool, m.words)
	if m.words > 0 {
		for _, t := range texts {
			m.read(found, t.folded)
		}
	}
	has := func(c clause) bool { return !slices.Contains(found[c.from:c.to], false) }
	return has(m.all) && !slices.ContainsFunc(m.excluded, func(c clause) bool { return has(c) && c.isIn(texts) })
}

// isIn reports whether each of the literals and phrases is in one of the texts.
func (c clause) isIn(texts []text) bool {
	for i := range c.literals {
		if !slices.ContainsFunc(texts, func(t text) bool { return c.literals[i].isIn(t.folded) }) {
			return false
		}
	}
	for _, p := range c.phrases {
		if !slices.ContainsFunc(texts, func(t text) bool { return strings.Contains(t.exact, p) }) {
			return false
		}
	}
	return true
}

// read records which terms a folded text matches.
func (m *Matcher) read(found []bool, text string) {
	for p := range pieces(text) {
		if p.kind != word {
			continue
		}
		m.matching(text, p, func(words []int) bool {
			for _, i := range words {
				found[i] = true
			}
			return true
		})
	}
}

// matching yields the numbers of the terms that a word in a folded text matches.
func (m *Matcher) matching(text string, p piece, yield func([]int) bool) {
	w := text[p.from:p.to]
	if !m.initials[initial(w)] || !standsAlone(text, p.from, p.to) { // a stem has the same first character as its word
		return
	}
	w = clip(w, maxWord)
	for _, token := range [...]string{w, stem(w)} {
		if !yield(m.exact[token]) {
			return
		}
		for _, n := range m.lengths {
			if n <= len(token) && !yield(m.prefixes[token[:n]]) {
				return
			}
		}
	}
}

// isHighlighted reports whether a word in a folded text matches a term of the query all outside of phrases.
func (m *Matcher) isHighlighted(text string, p piece) (matches bool) {
	m.matching(text, p, func(words []int) bool {
		matches = slices.ContainsFunc(words, func(i int) bool { return i < m.all.to && !m.all.quoted[i] })
		return !matches
	})
	return matches
}
