// Package linkifier is what makes links of pieces of text, such as #123 of an issue's address: a pattern (RE2) whose
// named groups are the variables of a URL template. The list of a realm is a shared fact, compiled when it changes and
// not when it is used.
package linkifier

import (
	"cmp"
	"slices"
)

// ID identifies a linkifier.
type ID int64

// Linkifier is one, as it is stored.
type Linkifier struct {
	ID           ID       `json:"id"`
	Order        int64    `json:"order"` // smaller first
	Pattern      string   `json:"pattern"`
	URLTemplate  string   `json:"url_template"`
	ExampleInput *string  `json:"example_input,omitempty"`
	Reverse      *string  `json:"reverse_template,omitempty"`
	Alternatives []string `json:"alternative_url_templates,omitempty"` // further templates of addresses that clients turn back into text
}

// List is a realm's linkifiers in their order. It does not change: With gives another one. nil is the empty list.
type List struct {
	all  []*Compiled
	size int
}

// NewList compiles linkifiers.
func NewList(ls ...*Linkifier) *List {
	l := &List{}
	for _, one := range ls {
		l.all = append(l.all, compile(one))
	}
	return l.sorted()
}

// With gives the list with now in the place of old; one of them may be nil.
func (l *List) With(old, now *Linkifier) *List {
	next := &List{
		all: slices.DeleteFunc(slices.Clone(l.All()), func(c *Compiled) bool { return old != nil && c.ID == old.ID }),
	}
	if now != nil {
		next.all = append(next.all, l.compiled(now))
	}
	return next.sorted()
}

// compiled gives what finds the text of a linkifier, which may be known under another order.
func (l *List) compiled(now *Linkifier) *Compiled {
	had := l.Get(now.ID)
	if had == nil || had.Pattern != now.Pattern || had.URLTemplate != now.URLTemplate {
		return compile(now)
	}
	c := *had
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

// All gives the linkifiers in their order. Nobody may write to it.
func (l *List) All() []*Compiled {
	if l == nil {
		return nil
	}
	return l.all
}

// Get gives a linkifier; nil if there is none.
func (l *List) Get(id ID) *Compiled {
	for _, c := range l.All() {
		if c.ID == id {
			return c
		}
	}
	return nil
}

// Next gives the order of one that is placed last.
func (l *List) Next() int64 {
	if all := l.All(); len(all) > 0 {
		return all[len(all)-1].Order + 1
	}
	return 1
}
