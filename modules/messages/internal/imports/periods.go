package imports

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/stoachat/stoa/domain/importing"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/modules/messages/internal/store"
)

// Receive implements ports.MessageImport.
func (s *Service) Receive(ctx context.Context, r realm.ID, all []importing.Membership) error {
	if _, err := s.Log.Lock(ctx, r); err != nil {
		return err
	}
	head, err := s.Store.Newest(ctx)
	if err != nil {
		return err
	}
	found := map[importing.Period][]store.Range{}
	for _, m := range all {
		var within []store.Range
		for _, p := range m.Periods {
			if _, ok := found[p]; !ok {
				if found[p], err = s.ranges(ctx, r, p); err != nil {
					return err
				}
			}
			within = append(within, found[p]...)
		}
		closed, from := [][2]message.ID{}, head // without an open period, only what comes is received
		for _, in := range merged(within) {
			if in.To == message.MaxID {
				from = in.From - 1
				continue
			}
			closed = append(closed, [2]message.ID{in.From - 1, in.To})
		}
		if err := s.Inbox.Replace(ctx, m.User, message.OfChannel(m.Channel), closed, from); err != nil {
			return err
		}
	}
	return nil
}

// ranges returns the IDs of the messages of a realm that were sent in a period. The last range of a period without an
// end has none.
func (s *Service) ranges(ctx context.Context, r realm.ID, p importing.Period) ([]store.Range, error) {
	out, err := s.since(ctx, r, p.From)
	if err != nil || p.To.IsZero() {
		return out, err
	}
	after, err := s.Store.Since(ctx, r, p.To)
	for _, a := range after {
		for i, in := range out {
			if in.To == a.To {
				out[i].To = a.From - 1
			}
		}
	}
	head, failed := s.Store.Newest(ctx)
	for i := range out {
		out[i].To = min(out[i].To, head)
	}
	return slices.DeleteFunc(out, func(in store.Range) bool { return in.From > in.To }), cmp.Or(err, failed)
}

// since returns the IDs of the messages sent at or after a time, and of those that are still to be sent.
func (s *Service) since(ctx context.Context, r realm.ID, at time.Time) ([]store.Range, error) {
	out, err := s.Store.Since(ctx, r, at)
	if err != nil || len(out) > 0 && out[len(out)-1].To == message.MaxID {
		return out, err
	}
	head, err := s.Store.Newest(ctx)
	return append(out, store.Range{From: head + 1, To: message.MaxID}), err
}

// merged returns ranges in order, with those joined that overlap or adjoin.
func merged(all []store.Range) []store.Range {
	slices.SortFunc(all, func(a, b store.Range) int { return cmp.Compare(a.From, b.From) })
	var out []store.Range
	for _, in := range all {
		if n := len(out); n > 0 && in.From <= out[n-1].To+1 {
			out[n-1].To = max(out[n-1].To, in.To)
			continue
		}
		out = append(out, in)
	}
	return out
}
