package search

import (
	"iter"
	"slices"
	"strings"
	"unicode"
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
	words    int              // number of words
	phrases  bool             // whether there are phrases
	literal  []string         // highlighted even within words: phrases, and single characters of dense scripts
}

// clause is a query whose terms have the numbers [from, to).
type clause struct {
	from, to int
	phrases  []string
}

// NewMatcher returns a Matcher for messages that match the query all and none of the queries excluded.
func NewMatcher(all Query, excluded ...Query) *Matcher {
	m := &Matcher{exact: map[string][]int{}, prefixes: map[string][]int{}, initials: map[rune]bool{}}
	m.all = m.add(all)
	m.literal = slices.Clone(all.Phrases)
	for _, t := range all.Terms {
		if r, size := utf8.DecodeRuneInString(t.Exact[0]); size == len(t.Exact[0]) && dense(r) {
			m.literal = append(m.literal, t.Exact[0])
		}
	}
	for _, q := range excluded {
		m.excluded = append(m.excluded, m.add(q))
	}
	return m
}

func (m *Matcher) add(q Query) clause {
	c := clause{from: m.words, to: m.words + len(q.Terms), phrases: q.Phrases}
	m.words, m.phrases = c.to, m.phrases || len(q.Phrases) > 0
	for i, t := range q.Terms {
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

// Matches reports whether a message matches.
func (m *Matcher) Matches(content, topic string) bool {
	var lowerContent, lowerTopic string
	if m.phrases {
		lowerContent, lowerTopic = strings.ToLower(content), strings.ToLower(topic)
	}
	hasPhrases := func(c clause) bool {
		return !slices.ContainsFunc(c.phrases, func(p string) bool {
			return !strings.Contains(lowerContent, p) && !strings.Contains(lowerTopic, p)
		})
	}
	if !hasPhrases(m.all) {
		return false
	}
	found := make([]bool, m.words)
	if m.words > 0 {
		m.read(found, content)
		m.read(found, topic)
	}
	has := func(c clause) bool { return !slices.Contains(found[c.from:c.to], false) }
	return has(m.all) && !slices.ContainsFunc(m.excluded, func(c clause) bool { return has(c) && hasPhrases(c) })
}

// read records which terms a text matches.
func (m *Matcher) read(found []bool, text string) {
	for _, w := range words(text) {
		if w.dense {
			for _, token := range tokensOf(text[w.from:w.to], true) {
				m.mark(found, m.exact[token])
			}
			continue
		}
		if m.cannotMatch(text[w.from:w.to]) {
			continue
		}
		for _, token := range parts(text[w.from:w.to]) {
			for words := range m.matching(token) {
				m.mark(found, words)
			}
		}
	}
}

// cannotMatch reports whether a word cannot match because of its first letter. It is false for words that are not
// ASCII.
func (m *Matcher) cannotMatch(word string) bool {
	for i := range len(word) {
		if word[i] >= utf8.RuneSelf {
			return false
		}
	}
	return !m.initials[unicode.ToLower(rune(word[0]))]
}

func (m *Matcher) mark(found []bool, words []int) {
	for _, i := range words {
		found[i] = true
	}
}

// matching yields the numbers of the terms that a word in a text matches.
func (m *Matcher) matching(word string) iter.Seq[[]int] {
	return func(yield func([]int) bool) {
		if !m.initials[initial(word)] { // a stem has the same first character as its word
			return
		}
		for _, token := range [...]string{word, stem(word)} {
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
}

// matchesTerm reports whether a word in a text matches a term of the query all.
func (m *Matcher) matchesTerm(word string) bool {
	for words := range m.matching(word) {
		if slices.ContainsFunc(words, func(i int) bool { return i < m.all.to }) {
			return true
		}
	}
	return false
}
