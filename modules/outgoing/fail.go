package outgoing

import (
	"context"
	"errors"
	"fmt"

	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/domain/webhook"
	"github.com/stoachat/stoa/modules/kit"
)

// fail gives a call up, and tells the owner of the bot why, unless they were told of another lately. That they are told may be lost;
// a call that was given up is not made again for it.
func (s *service) fail(ctx context.Context, r *row, f webhook.FailureError) error {
	tell, err := kit.Tx(ctx, s.Work, func(ctx context.Context) (bool, error) {
		if ours, err := s.store.Done(ctx, r); err != nil || !ours {
			return false, err
		}
		now := s.Clock.Now()
		return s.store.Tell(ctx, r.BotID, now, now.Add(-s.cfg.WarnEvery))
	})
	if err != nil || !tell {
		return err
	}
	v, b, err := s.bot(ctx, r)
	if err != nil {
		return unlessMoot(err) // nobody is left to be told
	}
	from, owner := v.SystemBot(user.NotificationBot), v.User(b.BotOwner)
	if from == nil || owner == nil || !owner.Active {
		return nil
	}
	as := user.Actor{Realm: r.RealmID, User: from.ID, Role: from.Role, Bot: from.BotType, Client: "Internal"}
	text := fmt.Sprintf("Your bot @_**%s|%d** can't answer: its service %s.", b.FullName, b.ID, f.Why)
	if _, err := s.Sender.Send(ctx, as, message.Outgoing{To: []user.ID{owner.ID}, Content: text}); !refused(err) {
		return err
	}
	return nil
}

func unlessMoot(err error) error {
	if errors.Is(err, errMoot) {
		return nil
	}
	return err
}
