package zulip

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/stoachat/stoa/domain/importing"
)

// protected reports whether subscribers cannot read what was sent before they subscribed.
func (c streamRow) protected() bool {
	return c.Private && (c.HistoryPublic == nil || !*c.HistoryPublic)
}

// membership is a person's membership in a channel.
type membership struct{ channel, user int64 }

// readable contains periods by channel and person.
type readable map[int64]map[int64][]importing.Period

// history are the periods in which people received the messages of channels with protected history: who may read one of
// these has a row for it.
type history struct {
	periods readable            // the last one has no end while the person receives messages
	last    map[int64]time.Time // when the newest message of a channel was sent
}

// history reads the messages of channels with protected history.
func (s *source) history(ctx context.Context) (readable, error) {
	protected, former := map[int64]bool{}, map[membership]bool{}
	for _, c := range s.streams {
		if c.protected() {
			protected[c.ID] = true
		}
	}
	if len(protected) == 0 {
		return nil, nil
	}
	for _, sub := range s.subscriptions {
		if r := s.recipients[sub.Recipient]; r.Type == streamType && sub.Active != nil && !*sub.Active {
			former[membership{r.TypeID, sub.User}] = true
		}
	}
	h := &history{readable{}, map[int64]time.Time{}}
	for _, name := range s.messages {
		if err := s.historyOf(ctx, name, protected, h); err != nil {
			return nil, err
		}
	}
	for c, people := range h.periods {
		for u, all := range people {
			if end := &all[len(all)-1].To; former[membership{c, u}] && end.IsZero() {
				*end = h.last[c].Add(time.Microsecond)
			}
		}
	}
	return h.periods, nil
}

// received is a message to a channel with protected history.
type received struct {
	channel int64
	at      time.Time
	by      map[int64]bool
}

// historyOf adds the messages of a file, in the order of their IDs. What is malformed is counted by Messages.
func (s *source) historyOf(ctx context.Context, name string, protected map[int64]bool, h *history) error {
	all := map[int64]*received{}
	err := s.read(ctx, name, func(table, _ string, row []byte) error {
		switch table {
		case "zerver_message":
			var m messageRow
			if importing.Decode(row, &m) != nil {
				return nil //nolint:nilerr // Messages counts what is malformed
			}
			r := s.recipients[m.Recipient]
			if r.Type == streamType && protected[r.TypeID] {
				at := m.Sent.Time
				if at.IsZero() {
					at = m.Published.Time
				}
				all[m.ID] = &received{r.TypeID, at, map[int64]bool{}}
			}
		case "zerver_usermessage":
			var f flagsRow
			if importing.Decode(row, &f) == nil && all[f.Message] != nil {
				all[f.Message].by[f.User] = true
			}
		}
		return nil
	})
	var broken damage
	if err != nil && !errors.As(err, &broken) {
		return err
	}
	for _, id := range slices.Sorted(maps.Keys(all)) {
		h.add(all[id])
	}
	return nil
}

// add adds a message.
func (h *history) add(r *received) {
	h.last[r.channel] = r.at
	people := h.periods[r.channel]
	if people == nil {
		people = map[int64][]importing.Period{}
		h.periods[r.channel] = people
	}
	for u, all := range people {
		if end := &all[len(all)-1].To; end.IsZero() && !r.by[u] {
			*end = r.at
		}
	}
	for u := range r.by {
		if all := people[u]; len(all) == 0 || !all[len(all)-1].To.IsZero() {
			people[u] = append(all, importing.Period{From: r.at})
		}
	}
}
