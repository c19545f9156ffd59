package fetch

import (
	"context"
	"time"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/realm"
)

// countBatch is the maximum number of messages counted per query.
const countBatch = 20_000

// Counts answers [message.ChannelCounts].
func (s *Service) Counts(ctx context.Context, q message.ChannelCounts) (message.Counted, error) {
	out := message.Counted{Upto: q.After, Sent: map[realm.ID][]channel.Counted{}}
	if q.After == 0 { // the first query skips messages that are too old
		first, err := s.firstSince(ctx, q.Since)
		if err != nil || first > message.MaxID {
			return out, err
		}
		q.After = first - 1
	}
	heads, err := s.Store.After(ctx, q.After, countBatch)
	if err != nil {
		return out, err
	}
	type place struct {
		channel channel.ID
		day     int
	}
	at := map[place]int{}
	for _, h := range heads {
		if !h.SentAt.Before(q.Before) {
			break
		}
		out.Upto = h.ID
		c, isChannel := h.Recipient.Channel()
		if !isChannel || h.SentAt.Before(q.Since) {
			continue
		}
		p, all := place{c, channel.Day(h.SentAt)}, out.Sent[h.Realm]
		i, ok := at[p]
		if !ok {
			i = len(all)
			at[p], all = i, append(all, channel.Counted{Channel: c, Day: p.day})
		}
		all[i].Messages++
		out.Sent[h.Realm] = all
	}
	return out, nil
}

// firstSince returns the lowest ID of the messages of all realms that were sent at or after a time, or an ID above
// message.MaxID.
func (s *Service) firstSince(ctx context.Context, at time.Time) (message.ID, error) {
	first := message.MaxID + 1
	all, err := s.Realms.All(ctx)
	for _, r := range all {
		within, err := s.Store.Since(ctx, r, at)
		if err != nil {
			return 0, err
		}
		if len(within) > 0 {
			first = min(first, within[0].From)
		}
	}
	return first, err
}
