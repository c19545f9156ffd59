package fetch

import (
	"cmp"
	"context"
	"slices"

	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/modules/messages/internal/store"
)

// stretches returns the parts of the query's conversations that may contain its messages, except messages that were
// moved between channels: all of a direct conversation or a history, and of other channels, the reader's periods.
func (q *query) stretches() []store.Stretch {
	all := store.Range{From: 1, To: message.MaxID}
	out := make([]store.Stretch, 0, len(q.recipients))
	for _, r := range q.recipients {
		if _, isChannel := r.Channel(); !isChannel || q.inbox == nil {
			out = append(out, store.Stretch{Recipient: r, Range: all})
			continue
		}
		for _, p := range q.inbox.In(r) {
			within := store.Range{From: p.FromMsg + 1, To: message.MaxID}
			if !p.Open() {
				within.To = p.ToMsg
			}
			if within.From <= within.To {
				out = append(out, store.Stretch{Recipient: r, Range: within})
			}
		}
	}
	return out
}

// outside reports whether a message is in none of the stretches although the query searches its conversation, and was
// never moved between channels. The reader has not received it.
func (q *query) outside(m *message.Message) bool {
	_, isChannel := m.Recipient.Channel()
	if q.inbox == nil || !isChannel || m.Facts&message.MovedChannel != 0 {
		return false
	}
	for _, p := range q.inbox.In(m.Recipient) {
		if p.Covers(m.ID) {
			return false
		}
	}
	return true
}

// merged finds candidates in the index of each conversation. The cost does not depend on the number of messages in
// other conversations, or before and after the reader's periods.
func (q *query) merged(f store.Filter) candidates {
	own := q.mergedIn(q.stretches(), f)
	var channels []store.Stretch
	for _, r := range q.recipients {
		if _, isChannel := r.Channel(); isChannel && q.inbox != nil {
			channels = append(channels, store.Stretch{Recipient: r, Range: store.Range{From: 1, To: message.MaxID}})
		}
	}
	if len(channels) == 0 {
		return own
	}
	return union(own, q.mergedIn(channels, store.Filter{Facts: message.MovedChannel}))
}

// mergedIn finds candidates in stretches of conversations.
func (q *query) mergedIn(all []store.Stretch, f store.Filter) candidates {
	return func(ctx context.Context, s span, n int) ([]message.Message, span, error) {
		in, end, err := q.nearest(ctx, all, f, s, n)
		if err != nil || len(in) == 0 {
			return nil, s.exhausted(), err
		}
		each := min(max(2*n/len(in), 16), n)
		ms, err := q.s.Store.ScanEach(ctx, in, store.Scan{Filter: f, Down: s.down, Limit: each})
		if err != nil {
			return nil, s, err
		}
		sortHeads(ms, s.down)
		count := make(map[store.Stretch]int, len(in))
		places := placed(in)
		for i := range ms {
			// At this count, the stretch may have more messages, and they precede the rest of ms.
			at := places.of(&ms[i])
			if count[at]++; count[at] == each {
				return ms[:i+1], s.past(ms[i].ID), nil
			}
		}
		if end != 0 {
			return ms, s.past(end), nil
		}
		return ms, s.exhausted(), nil
	}
}

// nearest returns the stretches, limited to s, in which the first n messages of s are. If these may not be all
// messages, it also returns the ID up to which they are.
func (q *query) nearest(
	ctx context.Context, all []store.Stretch, f store.Filter, s span, n int,
) ([]store.Stretch, message.ID, error) {
	in := make([]store.Stretch, 0, len(all))
	for _, at := range all {
		if at.From, at.To = max(at.From, s.From), min(at.To, s.To); at.From <= at.To {
			in = append(in, at)
		}
	}
	if len(in) <= 1 || !f.CanSeekEnds() {
		return in, 0, nil
	}
	ends, err := q.s.Store.Ends(ctx, in, f, s.down)
	if err != nil {
		return nil, 0, err
	}
	type ended struct {
		store.Stretch
		end message.ID
	}
	var found []ended
	for i, end := range ends {
		if end != 0 {
			found = append(found, ended{in[i], end})
		}
	}
	slices.SortFunc(found, func(a, b ended) int {
		if s.down {
			a, b = b, a
		}
		return cmp.Compare(a.end, b.end)
	})
	var last message.ID
	if len(found) > n { // the ends of the first n are n messages before all messages of the others
		found, last = found[:n], found[n-1].end
	}
	in = in[:0]
	for _, at := range found {
		if last != 0 && s.down {
			at.From = max(at.From, last)
		} else if last != 0 {
			at.To = min(at.To, last)
		}
		in = append(in, at.Stretch)
	}
	return in, last, nil
}

// byPlace finds the stretches of messages. Stretches of the same conversation do not overlap.
type byPlace map[message.Recipient][]store.Stretch

func placed(in []store.Stretch) byPlace {
	out := make(byPlace, len(in))
	for _, at := range in {
		out[at.Recipient] = append(out[at.Recipient], at)
	}
	return out
}

func (n byPlace) of(m *message.Message) store.Stretch {
	for _, at := range n[m.Recipient] {
		if at.From <= m.ID && m.ID <= at.To {
			return at
		}
	}
	return store.Stretch{}
}
