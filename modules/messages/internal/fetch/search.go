package fetch

import (
	"context"
	"slices"

	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/narrow"
	"github.com/stoachat/stoa/modules/messages/internal/search"
	"github.com/stoachat/stoa/modules/messages/internal/store"
	"github.com/stoachat/stoa/ports"
)

// searching holds a query's compiled search terms.
type searching struct {
	all         search.Query    // all terms except negated ones
	hasPositive bool            // there are terms that are not negated
	matcher     *search.Matcher // nil without search terms
	index       store.Progress  // of the index
	yield       *yield          // shared by copies of the query
}

// readSearch compiles the search terms. Errors: BadRequest.
func (q *query) readSearch(ctx context.Context) error {
	var excluded []search.Query
	size, some := 0, false
	for _, c := range q.narrow.Conditions {
		if c.Op != narrow.Search {
			continue
		}
		one, err := search.Parse(c.Text)
		if err != nil {
			return err
		}
		some, size = true, size+one.Size()
		if err := search.CheckSize(size); err != nil {
			return err
		}
		if c.Negated {
			excluded = append(excluded, one)
		} else {
			q.search.all, q.search.hasPositive = q.search.all.And(one), true
		}
	}
	if some {
		q.search.matcher, q.search.yield = search.NewMatcher(q.search.all, excluded...), &yield{}
		if err := q.charge(ctx, 1); err != nil { // fail before reading anything
			return err
		}
	}
	if !q.search.byIndex() {
		return nil
	}
	var err error
	q.search.index, err = q.s.Store.Words.Progress(ctx, q.v.Realm().ID)
	return err
}

// byIndex reports whether the index of words contains what is searched.
func (s *searching) byIndex() bool { return len(s.all.Lookups(false)) > 0 }

// searched finds candidates in the index of words or, for messages that are not indexed yet, in rest.
func (q *query) searched(rest candidates) candidates {
	f := q.filter
	f.Recipients = q.recipients
	words := q.search.all.Lookups(q.search.index.Former > 0)
	found := (&wordSearch{query: q, filter: f, words: words, rest: rest}).candidates
	if q.inbox != nil && !q.narrow.OnlyDirect() {
		found = union(found, q.fromFlags(q.u.ID, message.Touched)) // as in base
	}
	known := q.search.index.Indexed
	return func(ctx context.Context, s span, n int) ([]message.Message, span, error) {
		indexedSpan, recentSpan := s, s
		indexedSpan.To, recentSpan.From = min(s.To, known), max(s.From, known+1)
		if s.down && !recentSpan.empty() || !s.down && indexedSpan.empty() {
			ms, left, err := rest(ctx, recentSpan, n)
			if s.down && left.empty() {
				left = indexedSpan
			} else if s.down {
				left.From = s.From
			}
			return ms, left, err
		}
		ms, left, err := found(ctx, indexedSpan, n)
		if !s.down && left.empty() {
			left = recentSpan
		} else if !s.down {
			left.To = s.To
		}
		return ms, left, err
	}
}

// textsPerRead is the maximum number of messages whose content a search reads at once.
const textsPerRead = 500

// matching returns the messages that match the search terms. It charges the caller for the content that it reads.
// Errors: RateLimit.
func (q *query) matching(ctx context.Context, heads []message.Message) ([]message.Message, error) {
	if q.search.matcher == nil || len(heads) == 0 {
		return heads, nil
	}
	has := make(map[message.ID]bool, len(heads))
	for part := range slices.Chunk(idsOf(heads), textsPerRead) {
		texts, err := q.s.Store.Texts(ctx, q.v.Realm().ID, part)
		if err != nil {
			return nil, err
		}
		size := 0
		for _, t := range texts {
			size += len(t.Content) + len(t.Topic)
		}
		if err := ports.Spend(ctx, size); err != nil {
			return nil, err
		}
		for _, t := range texts {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			has[t.ID] = q.search.matcher.Matches(t.Content, t.Topic)
		}
	}
	read := len(heads)
	heads = slices.DeleteFunc(heads, func(m message.Message) bool { return !has[m.ID] })
	q.search.yield.read, q.search.yield.matched = q.search.yield.read+read, q.search.yield.matched+len(heads)
	return heads, nil
}
