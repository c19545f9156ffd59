// Package linkifier turns text such as #123 into links. A linkifier consists of a pattern (RE2) and a URL template
// whose variables are the pattern's named groups. A realm's linkifiers are shared facts; they are compiled when they
// change, not when they are used.
package linkifier

import (
	"cmp"
	"slices"
)

// ID identifies a linkifier.
type ID int64

// Linkifier is a linkifier as stored.
type Linkifier struct {
	ID           ID      `json:"id"`
	Order        int64   `json:"order"` // lower comes first
	Pattern      string  `json:"pattern"`
	URLTemplate  string  `json:"url_template"`
	ExampleInput *string `json:"example_input,omitempty"`
	Reverse      *string `json:"reverse_template,omitempty"`
	// more templates that clients use to turn URLs back into text
	Alternatives []string `json:"alternative_url_templates,omitempty"`
}

// List is an immutable, ordered list of a realm's linkifiers; nil is empty.
type List struct {
	all  []*Compiled
	size int
}

// NewList returns a list of the given linkifiers.
func NewList(ls ...*Linkifier) *List {
	l := &List{}
	for _, one := range ls {
		l.all = append(l.all, compile(one))
	}
	return l.sorted()
}

// With returns the list with old replaced by now; either may be nil.
func (l *List) With(old, now *Linkifier) *List {
	next := &List{
		all: slices.DeleteFunc(slices.Clone(l.All()), func(c *Compiled) bool { return old != nil && c.ID == old.ID }),
	}
	if now != nil {
		next.all = append(next.all, l.compiled(now))
	}
	return next.sorted()
}

// compiled returns now compiled, reusing the existing pattern if only the order changed.
func (l *List) compiled(now *Linkifier) *Compiled {
	old := l.Get(now.ID)
	if old == nil || old.Pattern != now.Pattern || old.URLTemplate != now.URLTemplate {
		return compile(now)
	}
	c := *old
	c.Linkifier = now
	return &c
}

func (l *List) sorted() *List {
	slices.SortFunc(
		l.all,
		func(a, b *Compiled) int { return cmp.Or(cmp.Compare(a.Order, b.Order), cmp.Compare(a.ID, b.ID)) },
	)
	for _, c := range l.all {
		l.size += c.size
	}
	return l
}

// All returns the linkifiers in order. Callers must not modify the result.
func (l *List) All() []*Compiled {
	if l == nil {
		return nil
	}
	return l.all
}

// Get returns a linkifier by ID, or nil.
func (l *List) Get(id ID) *Compiled {
	for _, c := range l.All() {
		if c.ID == id {
			return c
		}
	}
	return nil
}

// Next returns the Order of a new linkifier, which comes last.
func (l *List) Next() int64 {
	if all := l.All(); len(all) > 0 {
		return all[len(all)-1].Order + 1
	}
	return 1
}
