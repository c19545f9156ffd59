package fetch

import (
	"context"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/realm"
)

// perTally is how many messages one tally looks at.
const perTally = 20_000

// Tally answers how many messages were sent to channels (message.Tally).
func (s *Service) Tally(ctx context.Context, m *message.Tally) error {
	m.Upto, m.Sent = m.After, map[realm.ID][]channel.Counted{}
	if m.After == 0 { // the first time: nothing needs to be looked at that is too old
		first, err := s.Store.FirstAt(ctx, m.Since)
		if err != nil || first == 0 {
			return err
		}
		m.After = first - 1
	}
	heads, err := s.Store.After(ctx, m.After, perTally)
	if err != nil {
		return err
	}
	type place struct {
		channel channel.ID
		day     int
	}
	at := map[place]int{}
	for _, h := range heads {
		if !h.SentAt.Before(m.Before) {
			break
		}
		m.Upto = h.ID
		c, isChannel := h.Recipient.Channel()
		if !isChannel || h.SentAt.Before(m.Since) {
			continue
		}
		p, all := place{c, channel.Day(h.SentAt)}, m.Sent[h.Realm]
		i, ok := at[p]
		if !ok {
			i = len(all)
			at[p], all = i, append(all, channel.Counted{Channel: c, Day: p.day})
		}
		all[i].Messages++
		m.Sent[h.Realm] = all
	}
	return nil
}
