package fetch

import (
	"cmp"
	"context"
	"slices"

	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/narrow"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/messages/internal/store"
)

// span is a range of IDs still to be searched, downwards or upwards.
type span struct {
	store.Range
	down bool
}

func (s span) empty() bool { return s.From > s.To }

// past returns what remains of s after searching up to and including id.
func (s span) past(id message.ID) span {
	if s.down {
		s.To = min(s.To, id-1)
	} else {
		s.From = max(s.From, id+1)
	}
	return s
}

// exhausted returns an empty span with the direction of s.
func (s span) exhausted() span { s.From, s.To = 1, 0; return s }

// scan returns a [store.Scan] of s.
func (s span) scan(f store.Filter, limit int) store.Scan {
	return store.Scan{Filter: f, Range: s.Range, Down: s.down, Limit: limit}
}

// candidates returns about n messages of a span that may match the query, in the span's direction, and what remains of
// the span. The messages that it skips do not match.
type candidates func(ctx context.Context, s span, n int) ([]message.Message, span, error)

// chooseSource picks the source of candidates that reads the fewest rows.
func (q *query) chooseSource(ctx context.Context) (candidates, error) {
	if c, ok := q.narrow.Find(narrow.TheMessage); ok {
		return q.fromList([]message.ID{c.ID}), nil
	}
	if s := q.selection(); s != nil {
		return q.fromSelection(*s), nil
	}
	if _, ok := q.narrow.Find(narrow.Starred); ok {
		return q.fromFlags(q.u.ID, message.Starred), nil
	}
	if _, ok := q.narrow.Find(narrow.Alerted); ok {
		return q.fromFlags(q.u.ID, message.AlertWord), nil
	}
	if c, ok := q.narrow.Find(narrow.MentionsOf); ok {
		return q.fromFlags(c.User, message.Personally), nil
	}
	if _, ok := q.narrow.Find(narrow.Unread); ok {
		unread, err := q.s.States.Unread(ctx, q.v, q.u.ID, q.mayBeUnread())
		return q.fromList(unread), err
	}
	if _, ok := q.narrow.Find(narrow.Mentioned); ok {
		f := q.filter
		f.Facts |= message.ChannelWildcard
		return union(q.fromFlags(q.u.ID, message.Mentioned|message.TopicWildcard), q.merged(f)), nil
	}
	if q.search.byIndex() {
		return q.searched(q.base()), nil
	}
	return q.base(), nil
}

// base finds candidates in the reader's conversations.
func (q *query) base() candidates {
	main := q.conversations()
	if q.inbox == nil || q.narrow.OnlyDirect() {
		return main
	}
	// The reader may also own messages in channels without ever having been subscribed to them.
	return union(main, q.fromFlags(q.u.ID, message.Touched))
}

// maxDirectMerge is the maximum number of conversations to merge without trying a walk first.
const maxDirectMerge = 16

func (q *query) conversations() candidates {
	_, reaction := q.narrow.Find(narrow.Reaction)
	switch f := q.filter; {
	case len(q.recipients) == 0:
		return func(_ context.Context, s span, _ int) ([]message.Message, span, error) {
			return nil, s.exhausted(), nil
		}
	case reaction && f.Topic == nil && f.Sender == 0:
		return q.reacted()
	case len(q.recipients) == 1 && (q.inbox == nil || q.narrow.OnlyDirect()):
		return q.single()
	case f.Sender != 0:
		return q.sent()
	case len(q.recipients) <= maxDirectMerge, f.Topic != nil, f.Facts != 0:
		return q.merged(f)
	}
	return q.walked()
}

func (q *query) single() candidates {
	f := q.filter
	f.Recipients = q.recipients
	return func(ctx context.Context, s span, n int) ([]message.Message, span, error) {
		ms, err := q.s.Store.ScanOne(ctx, s.scan(f, n))
		return ms, after(s, ms, n), err
	}
}

// after returns what remains of s after a scan limited to n rows has returned ms.
func after(s span, ms []message.Message, n int) span {
	if len(ms) < n {
		return s.exhausted()
	}
	return s.past(ms[len(ms)-1].ID)
}

// A walk starts with a window of firstWindow IDs and doubles it with each step. If fewer than one in walkShare of the
// messages were in the reader's conversations, the rest is searched by merging.
const (
	firstWindow = 4096
	walkShare   = 64
)

// walked finds candidates in the order of the primary key. This is cheapest if a large part of all messages is in the
// reader's conversations.
func (q *query) walked() candidates {
	f := q.filter
	f.Recipients = q.recipients
	window, walked, found := message.ID(firstWindow), message.ID(0), message.ID(0)
	merge := q.merged(q.filter)
	newest := message.ID(0)
	return func(ctx context.Context, s span, n int) ([]message.Message, span, error) {
		if found*walkShare < walked {
			return merge(ctx, s, n)
		}
		if newest == 0 {
			var err error
			if newest, err = q.s.Store.Newest(ctx); err != nil {
				return nil, s, err
			}
		}
		if s.To = min(s.To, newest); s.empty() {
			return nil, s.exhausted(), nil
		}
		w := s
		if s.down {
			w.From = max(s.From, s.To-window+1)
		} else {
			w.To = min(s.To, s.From+window-1)
		}
		ms, err := q.s.Store.ScanAll(ctx, w.scan(f, n))
		if err != nil {
			return nil, s, err
		}
		rest := s.past(w.To)
		if s.down {
			rest = s.past(w.From)
		}
		if len(ms) == n {
			rest = s.past(ms[n-1].ID)
		}
		ms = slices.DeleteFunc(ms, func(m message.Message) bool { return q.outside(&m) })
		walked += (s.To - s.From) - max(rest.To-rest.From, -1)
		window, found = window*2, found+message.ID(len(ms))
		return ms, rest, nil
	}
}

// fromFlags finds candidates among the messages for which a user has one of the flags.
func (q *query) fromFlags(u user.ID, f message.Flag) candidates {
	return func(ctx context.Context, s span, n int) ([]message.Message, span, error) {
		ids, err := q.s.Flags.Flagged(ctx, u, f, s.From, s.To, n, s.down)
		if err != nil {
			return nil, s, err
		}
		return q.fromIDs(ctx, s, ids, n)
	}
}

// fromIDs returns the candidates of a span whose first n IDs, in its direction, are given, or all if there are fewer.
func (q *query) fromIDs(ctx context.Context, s span, ids []message.ID, n int) ([]message.Message, span, error) {
	if len(ids) == 0 {
		return nil, s.exhausted(), nil
	}
	ms, err := q.s.Store.Heads(ctx, q.v.Realm().ID, ids)
	sortHeads(ms, s.down)
	if len(ids) < n {
		return ms, s.exhausted(), err
	}
	return ms, s.past(ids[len(ids)-1]), err
}

// fromList finds candidates in a list of IDs, which must be ascending.
func (q *query) fromList(ids []message.ID) candidates {
	return func(ctx context.Context, s span, n int) ([]message.Message, span, error) {
		from, _ := slices.BinarySearch(ids, s.From)
		to, _ := slices.BinarySearch(ids, s.To+1)
		in := ids[from:max(from, to)]
		rest := s.exhausted()
		if len(in) > n {
			if s.down {
				in = in[len(in)-n:]
				rest = s.past(in[0])
			} else {
				in = in[:n]
				rest = s.past(in[n-1])
			}
		}
		if len(in) == 0 {
			return nil, rest, nil
		}
		ms, err := q.s.Store.Heads(ctx, q.v.Realm().ID, in)
		sortHeads(ms, s.down)
		return ms, rest, err
	}
}

// union combines two sources of candidates.
func union(a, b candidates) candidates {
	return func(ctx context.Context, s span, n int) ([]message.Message, span, error) {
		as, left, err := a(ctx, s, n)
		if err != nil {
			return nil, s, err
		}
		bs, other, err := b(ctx, s, n)
		if err != nil {
			return nil, s, err
		}
		rest := larger(left, other)
		all := slices.Concat(as, bs)
		sortHeads(all, s.down)
		all = slices.CompactFunc(all, func(x, y message.Message) bool { return x.ID == y.ID })
		return slices.DeleteFunc(all, func(m message.Message) bool { return rest.From <= m.ID && m.ID <= rest.To }), rest, nil
	}
}

// larger returns the larger of two remainders of a span.
func larger(a, b span) span {
	switch {
	case a.empty():
		return b
	case b.empty():
		return a
	}
	a.From, a.To = min(a.From, b.From), max(a.To, b.To)
	return a
}

func sortHeads(ms []message.Message, down bool) {
	slices.SortFunc(ms, func(a, b message.Message) int {
		if down {
			a, b = b, a
		}
		return cmp.Compare(a.ID, b.ID)
	})
}
