package fetch

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/narrow"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/messages/internal/search"
	"github.com/stoachat/stoa/modules/messages/internal/store"
	"github.com/stoachat/stoa/ports"
)

// searching holds a query's compiled search terms.
type searching struct {
	all         search.Query    // all terms except negated ones
	hasPositive bool            // there are terms that are not negated
	matcher     *search.Matcher // nil without search terms
	indexed     message.ID      // the index is complete up to this ID
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
	if len(q.search.all.Terms) == 0 {
		return nil
	}
	var err error
	q.search.indexed, err = q.s.Store.Words.Indexed(ctx, q.v.Realm().ID)
	return err
}

// searched finds candidates in the index of words or, for messages that are not indexed yet, in rest.
func (q *query) searched(rest candidates) candidates {
	f := q.filter
	f.Recipients = q.recipients
	words := make([][]string, len(q.search.all.Terms))
	for i, t := range q.search.all.Terms {
		words[i] = t.Lookup()
	}
	found := (&wordSearch{query: q, filter: f, words: words, rest: rest}).candidates
	if q.inbox != nil && !q.narrow.OnlyDirect() {
		found = union(found, q.fromFlags(q.u.ID, message.Touched)) // as in base
	}
	known := q.search.indexed
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

// indexBatch is the maximum number of messages indexed in one transaction. On SQLite, sends wait for it.
const indexBatch = 500

// Index adds new messages to the index of words. It is run by a job.
func (s *Service) Index(ctx context.Context) error {
	realms, err := s.Realms.Active(ctx)
	if err != nil {
		return err
	}
	var t search.Tokenizer
	for _, r := range realms {
		if err := s.indexRealm(ctx, &t, r); err != nil {
			return err
		}
	}
	return nil
}

// indexRealm indexes a realm's new messages. It finds the words of the next ones while the database stores the last.
func (s *Service) indexRealm(ctx context.Context, t *search.Tokenizer, r realm.ID) error {
	from, err := s.Store.Words.Indexed(ctx, r)
	if err != nil {
		return err
	}
	p, err := s.Store.Words.Prepare(ctx, t, r, from, indexBatch)
	for err == nil && p.Size() > 0 {
		var next *store.Prepared
		full := p.Size() == indexBatch
		err = errors.Join(kit.Each(2, func(i int) (err error) {
			if i == 0 {
				return s.Work.Do(ctx, func(ctx context.Context) error { return s.Store.Words.Index(ctx, p, r, indexBatch) })
			}
			if full {
				next, err = s.Store.Words.Prepare(ctx, t, r, p.Last, indexBatch)
			}
			return err
		})...)
		if !full {
			break
		}
		p = next
	}
	return err
}

// Jobs returns the package's jobs. Nobody announces messages to the index, since searches also read those after it.
func (s *Service) Jobs() []kit.Job {
	return []kit.Job{{
		Name: "search", Every: 10 * time.Second, Backlog: &kit.Backlog{Earliest: store.AnyUnindexed},
		Timeout: 10 * time.Minute, Run: s.Index,
	}}
}
