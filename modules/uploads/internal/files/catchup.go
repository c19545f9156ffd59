package files

import (
	"context"
	"time"

	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/realm"
)

// CatchUp updates the references of messages that were sent, edited or deleted while the module was left out.
func (s *Service) CatchUp(ctx context.Context, r realm.ID, since time.Time) error {
	for after := message.ID(0); ; {
		changed, ok, err := s.Changed.Ask(ctx, message.ChangedSince{Realm: r, Since: since, After: after})
		if err != nil || !ok {
			return err
		}
		if changed.Upto == after {
			return s.dropGone(ctx, r)
		}
		if err := s.claimMissed(ctx, r, changed.Messages); err != nil {
			return err
		}
		after = changed.Upto
	}
}

// claimMissed updates the references of messages, and renders those again that refer to files.
func (s *Service) claimMissed(ctx context.Context, r realm.ID, all []message.References) error {
	var referring []message.ID
	for _, one := range all {
		err := s.Work.Do(ctx, func(ctx context.Context) error {
			if _, err := s.Log.Lock(ctx, r); err != nil {
				return err
			}
			return s.refer(ctx, r, one.Message, one.Attachments)
		})
		if err != nil {
			return err
		}
		if len(one.Attachments) > 0 {
			referring = append(referring, one.Message)
		}
	}
	return s.Rerender.Rerender(ctx, r, referring...)
}

// dropGone drops the references of messages that no longer exist.
func (s *Service) dropGone(ctx context.Context, r realm.ID) error {
	for after := message.ID(0); ; {
		ids, err := s.Store.Referring(ctx, r, after, removeBatch)
		if err != nil || len(ids) == 0 {
			return err
		}
		after = ids[len(ids)-1]
		gone, _, err := s.Gone.Ask(ctx, message.Gone{Realm: r, Messages: ids})
		if err != nil {
			return err
		}
		if len(gone) == 0 {
			continue
		}
		deleted := &message.Deleted{Realm: r, Messages: make([]message.Message, len(gone))}
		for i, id := range gone {
			deleted.Messages[i].ID = id
		}
		if err := s.Work.Do(ctx, func(ctx context.Context) error {
			if _, err := s.Log.Lock(ctx, r); err != nil {
				return err
			}
			return s.deleted(ctx, deleted)
		}); err != nil {
			return err
		}
	}
}
