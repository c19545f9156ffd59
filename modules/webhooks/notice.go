package webhooks

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
)

// noticeInterval is the minimum time between two notices about the same bot.
const noticeInterval = 5 * time.Minute

// notifyOwner sends a notice to the bot's owner, unless the owner was notified recently. It returns result, the result
// for the service, or an internal error.
func (s *service) notifyOwner(ctx context.Context, a kit.Actor, what string, result error) error {
	v, err := s.Directory.View(ctx, a.Realm)
	if err != nil {
		return err
	}
	bot := v.User(a.User)
	if bot == nil || bot.BotOwner == 0 {
		return result
	}
	owner := v.User(bot.BotOwner)
	as, ok := v.SystemActor(user.NotificationBot)
	if !ok || owner == nil || !owner.Active {
		return result
	}
	now := s.Clock.Now()
	err = s.Work.Do(ctx, func(ctx context.Context) error {
		due, err := s.store.AddNotice(ctx, bot.ID, now, now.Add(-noticeInterval))
		if err != nil || !due {
			return err
		}
		_, err = s.Sender.Send(ctx, as, message.Outgoing{
			To: []user.ID{owner.ID}, Content: fmt.Sprintf("Your bot @_**%s|%d** %s", bot.FullName, bot.ID, what),
		})
		return err
	})
	var refusal *errs.Error
	if err != nil && (!errors.As(err, &refusal) || refusal.Code == errs.Unavailable) {
		return err
	}
	return result // even if the owner could not be notified
}
