package outgoing

import (
	"context"
	"errors"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/domain/webhook"
)

// fail ends a failed call. The same commit posts the bot's message about the failure and the notice to the bot's owner.
func (s *service) fail(ctx context.Context, r *row, f webhook.FailureError) error {
	err := s.Work.Do(ctx, func(ctx context.Context) error {
		v, b, err := s.bot(ctx, r)
		if err != nil {
			return err
		}
		if removed, err := s.store.Remove(ctx, r); err != nil || !removed {
			return err
		}
		as := actor(b, r)
		m, err := s.message(ctx, as, r)
		if err != nil {
			return err
		}
		if !r.Dropped {
			if _, err := s.Sender.Send(ctx, as, reply(m.Message, b.ID, f.Text())); err != nil && rejection(err) == nil {
				return err
			}
		}
		return s.notify(ctx, v, b, f.Notice(v, b, &m.Message), f.Quiet)
	})
	if errors.Is(err, errObsolete) { // rolled back
		return s.discard(ctx, r)
	}
	return err
}

// notify informs a bot's owner of a failure, unless the owner was notified recently.
func (s *service) notify(ctx context.Context, v *directory.View, b *user.User, text string, quiet bool) error {
	owner := v.User(b.BotOwner)
	as, ok := v.SystemActor(user.NotificationBot)
	if quiet || !ok || owner == nil || !owner.Active {
		return nil
	}
	now := s.Clock.Now()
	if due, err := s.store.AddNotice(ctx, b.ID, now, now.Add(-s.cfg.WarnEvery)); err != nil || !due {
		return err
	}
	_, err := s.Sender.Send(ctx, as, message.Outgoing{To: []user.ID{owner.ID}, Content: text, Silent: true})
	if rejection(err) != nil {
		return nil //nolint:nilerr // a rejected notice is dropped
	}
	return err
}
