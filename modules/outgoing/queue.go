package outgoing

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
)

// sent puts down, in the commit that sends them, which messages speak to which bots.
func (s *service) sent(ctx context.Context, m *message.Sent) error {
	if len(m.Calls) == 0 {
		return nil
	}
	var all user.Set
	for _, bots := range m.Calls {
		all = all.Union(bots)
	}
	waiting, err := s.store.Waiting(ctx, all)
	if err != nil {
		return err
	}
	now := s.Clock.Now()
	var add []row
	for _, id := range slices.Sorted(maps.Keys(m.Calls)) {
		for _, b := range m.Calls[id] {
			if waiting[b]++; waiting[b] <= s.cfg.MaxWaiting {
				add = append(add, row{RealmID: m.Realm, BotID: b, MessageID: id, DueAt: now, CreatedAt: now})
			}
		}
	}
	return s.store.Add(ctx, add)
}

// run is the job that makes calls, one after the other. A call leaves the queue in the commit that posts its answer, so that
// whatever stops in between, somebody goes on.
func (s *service) run(ctx context.Context) error {
	for range perTurn {
		r, err := s.next(ctx)
		if err != nil || r == nil {
			return err
		}
		if err := s.serve(ctx, r); err != nil {
			return err
		}
	}
	return nil
}

// next takes the call that is due for the longest time of a bot that is not being called too often already; nil if there is none.
func (s *service) next(ctx context.Context) (*row, error) {
	for {
		now := s.Clock.Now()
		r, err := s.store.Next(ctx, now, s.cfg.PerBot)
		if err != nil || r == nil {
			return nil, err
		}
		took, err := kit.Tx(ctx, s.Work, func(ctx context.Context) (bool, error) { return s.store.Take(ctx, r, now, now.Add(lease)) })
		if err != nil {
			return nil, err
		}
		if took { // else another worker was faster
			r.Tries++
			return r, nil
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
}

// passOver takes a call out of the queue that is of no use any more.
func (s *service) passOver(ctx context.Context, r *row) error {
	return s.Work.Do(ctx, func(ctx context.Context) error {
		_, err := s.store.Done(ctx, r)
		return err
	})
}

// putOff has a call made again later. One that was not made at all is not counted.
func (s *service) putOff(ctx context.Context, r *row, made bool) error {
	at, tries := s.Clock.Now(), r.Tries
	if made {
		at = at.Add(s.cfg.FirstRetry << (tries - 1))
	} else {
		tries--
	}
	return s.Work.Do(ctx, func(ctx context.Context) error { return s.store.PutOff(ctx, r, at, tries) })
}

// refused tells whether something was refused, other than because the server can't do it just now.
func refused(err error) bool {
	var e *errs.Error
	return errors.As(err, &e) && e.Code != errs.Unavailable
}
