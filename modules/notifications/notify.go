package notifications

import (
	"context"

	"github.com/stoachat/stoa/domain/idset"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/notification"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
)

// Notify implements [ports.Notifier].
func (s *service) Notify(ctx context.Context, r realm.ID, id message.ID, us ...user.ID) error {
	if !kit.Handled[notification.Decided](s.Collected) {
		return nil
	}
	return s.Work.Do(ctx, func(ctx context.Context) error {
		v, err := s.Directory.View(ctx, r)
		if err != nil {
			return err
		}
		found, err := s.Receivers.MessageFlags(ctx, r, id)
		if err != nil {
			return err
		}
		if len(found) == 0 {
			return message.Invalid()
		}
		var all []notification.Notice
		for _, to := range idset.Of(us...) {
			u := v.User(to)
			if u == nil || !u.Active || u.IsBot() || to == found[0].Sender || v.Muted(to).Has(found[0].Sender) {
				continue
			}
			k := notification.Case{Mentioned: true, Settings: &u.Settings}
			n := notification.Notice{
				User: to, Message: id, Push: k.Reason(notification.Push), Email: k.Reason(notification.Email),
			}
			if n.Push != notification.None || n.Email != notification.None {
				all = append(all, n)
			}
		}
		now, later, err := s.split(ctx, v, all)
		if err != nil {
			return err
		}
		if err := s.runHooks(ctx, r, now); err != nil {
			return err
		}
		s.Work.AfterCommit(ctx, s.held.Added)
		return s.store.AddWaits(ctx, s.waits(v, later))
	})
}
