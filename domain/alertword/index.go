package alertword

import (
	"maps"
	"strings"

	"github.com/stoachat/stoa/domain/idset"
	"github.com/stoachat/stoa/domain/user"
)

// Index finds the users whose alert words occur in a text. It is immutable; nil is an empty index.
type Index struct {
	people map[string]user.Set // by key
	// longest is the length in bytes of the longest word, by first byte: longer candidates need no lookup.
	longest [256]int
}

// With returns a copy of the index with a user's words added and removed. The words must be keys (see Key).
func (x *Index) With(u user.ID, add, remove []string) *Index {
	now := &Index{people: map[string]user.Set{}}
	if x != nil {
		now.people = maps.Clone(x.people)
	}
	one := idset.Of(u)
	for _, w := range remove {
		if left := now.people[w].Minus(one); len(left) > 0 {
			now.people[w] = left
		} else {
			delete(now.people, w)
		}
	}
	for _, w := range add {
		now.people[w] = now.people[w].Union(one)
	}
	now.measure()
	return now
}

// NewIndex returns an index of users' words, which must be keys (see Key).
func NewIndex(words map[user.ID][]string) *Index {
	if len(words) == 0 {
		return nil
	}
	ids := map[string][]user.ID{}
	for u, ws := range words {
		for _, w := range ws {
			ids[w] = append(ids[w], u)
		}
	}
	x := &Index{people: make(map[string]user.Set, len(ids))}
	for w, us := range ids {
		x.people[w] = idset.Of(us...)
	}
	x.measure()
	return x
}

func (x *Index) measure() {
	for w := range x.people {
		if w != "" {
			x.longest[w[0]] = max(x.longest[w[0]], len(w))
		}
	}
}

// Characters that may delimit a word, besides the ends of the text.
const (
	before = " \n(\".,';[*`>"
	after  = " \n)?:.,';]!*`"
)

// In returns the users with an alert word in the source of a message. defaultLanguage is the realm's language for code
// blocks without one. The time grows with the length of the text and of the longest word, not with the number of words.
func (x *Index) In(source, defaultLanguage string) user.Set {
	if x == nil || len(x.people) == 0 {
		return nil
	}
	text := Key(withoutCode(source, defaultLanguage))
	var found user.Set
	seen := map[string]bool{}
	for i := 0; i < len(text); i++ {
		longest := x.longest[text[i]]
		if longest == 0 || i > 0 && !strings.Contains(before, text[i-1:i]) {
			continue
		}
		for end := i + 1; end <= min(i+longest, len(text)); end++ {
			if end < len(text) && !strings.Contains(after, text[end:end+1]) {
				continue
			}
			word := text[i:end]
			if us := x.people[word]; len(us) > 0 && !seen[word] {
				seen[word] = true
				found = found.Union(us)
			}
		}
	}
	return found
}
