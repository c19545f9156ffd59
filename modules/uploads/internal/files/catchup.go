package files

import (
	"context"
	"time"

	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/scheduled"
	"github.com/stoachat/stoa/modules/kit"
)

// missed updates the references of messages that were sent or edited while the module was left out, and renders those
// again that refer to files.
func (s *Service) missed(ctx context.Context, m *message.Missed) error {
	var referring []message.ID
	for i := range m.Messages {
		one := &m.Messages[i]
		err := s.Work.Do(ctx, func(ctx context.Context) error {
			if _, err := s.Log.Lock(ctx, m.Realm); err != nil {
				return err
			}
			return s.refer(ctx, m.Realm, one.ID, one.Attachments)
		})
		if err != nil {
			return err
		}
		if len(one.Attachments) > 0 {
			referring = append(referring, one.ID)
		}
	}
	return s.Rerender.Rerender(ctx, m.Realm, referring...)
}

// CatchUp replaces the references of scheduled messages, if the module that has them runs.
func (s *Service) CatchUp(ctx context.Context, r realm.ID, _ time.Time) error {
	if _, ok, err := s.Waiting.Ask(ctx, scheduled.Waiting{Realm: r, Limit: 1}); err != nil || !ok {
		return err
	}
	for {
		more, err := s.forgetScheduled(ctx, r)
		if err != nil {
			return err
		}
		if !more {
			break
		}
	}
	for after := scheduled.ID(0); ; {
		upto, err := s.referScheduled(ctx, r, after)
		if err != nil || upto == after {
			return err
		}
		after = upto
	}
}

// forgetScheduled removes the references of some scheduled messages, and reports whether there were any.
func (s *Service) forgetScheduled(ctx context.Context, r realm.ID) (bool, error) {
	return kit.Tx(ctx, s.Work, func(ctx context.Context) (bool, error) {
		if _, err := s.Log.Lock(ctx, r); err != nil {
			return false, err
		}
		ids, err := s.Store.ReferringScheduled(ctx, r, removeBatch)
		if err != nil || len(ids) == 0 {
			return false, err
		}
		return true, s.removeScheduledRefs(ctx, ids)
	})
}

// referScheduled stores the references of the next scheduled messages, and returns the ID of the last of them.
func (s *Service) referScheduled(ctx context.Context, r realm.ID, after scheduled.ID) (scheduled.ID, error) {
	return kit.Tx(ctx, s.Work, func(ctx context.Context) (scheduled.ID, error) {
		if _, err := s.Log.Lock(ctx, r); err != nil {
			return after, err
		}
		upto := after
		some, _, err := s.Waiting.Ask(ctx, scheduled.Waiting{Realm: r, After: after, Limit: removeBatch})
		for _, m := range some {
			if err := s.addScheduledRefs(ctx, m); err != nil {
				return after, err
			}
			upto = m.ID
		}
		return upto, err
	})
}
