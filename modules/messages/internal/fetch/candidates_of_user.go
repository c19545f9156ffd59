package fetch

import (
	"cmp"
	"context"
	"slices"

	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/modules/messages/internal/store"
)

// This file contains sources of candidates for rare properties.

// maxSenderScan is the number of a sender's messages examined before the search switches to merging, if few of them
// were in the query's conversations.
const maxSenderScan = 2000

// sent finds candidates among all messages of a sender. This is cheapest if a large part of them is in the reader's
// conversations.
func (q *query) sent() candidates {
	examined, found := 0, 0
	merge := q.merged(q.filter)
	return func(ctx context.Context, s span, n int) ([]message.Message, span, error) {
		if examined >= maxSenderScan && found < examined/16 {
			return merge(ctx, s, n)
		}
		ms, err := q.s.Store.ScanSender(ctx, s.scan(store.Filter{Sender: q.filter.Sender}, n))
		if err != nil {
			return nil, s, err
		}
		for i := range ms {
			if examined++; q.covers(ms[i].Recipient) && q.narrow.Holds(&ms[i]) {
				found++
			}
		}
		return ms, after(s, ms, n), nil
	}
}

// reacted finds candidates among each conversation's messages with reactions, like merged.
func (q *query) reacted() candidates {
	f := q.filter
	f.Recipients = q.recipients
	return func(ctx context.Context, s span, n int) ([]message.Message, span, error) {
		each := min(max(2*n/len(f.Recipients), 16), n)
		all, err := q.s.Store.Reactions.ScanEach(ctx, s.scan(f, each))
		if err != nil {
			return nil, s, err
		}
		slices.SortFunc(all, func(a, b store.MessageRef) int {
			if s.down {
				a, b = b, a
			}
			return cmp.Compare(a.ID, b.ID)
		})
		count, rest := map[message.Recipient]int{}, s.exhausted()
		var ids []message.ID
		for _, at := range all {
			ids = append(ids, at.ID)
			if count[at.Recipient]++; count[at.Recipient] == each {
				rest = s.past(at.ID)
				break
			}
		}
		if len(ids) == 0 {
			return nil, rest, nil
		}
		ms, err := q.s.Store.Heads(ctx, q.v.Realm().ID, ids)
		sortHeads(ms, s.down)
		return ms, rest, err
	}
}
