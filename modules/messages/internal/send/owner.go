package send

import (
	"context"
	"fmt"
	"time"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/messages/internal/links"
)

// warnInterval is the minimum time between two warnings to a bot's owner.
const warnInterval = 5 * time.Minute

// warnMissing warns a bot's owner that the bot has named a missing channel, unless the channel exists and the error
// only hides it. It returns rejection unless it fails itself.
func (s *Service) warnMissing(ctx context.Context, a kit.Actor, in request, rejection error) error {
	if !errs.Is(rejection, errs.StreamDoesNotExist) || in.To == nil {
		return rejection
	}
	v, err := s.Directory.Verified(ctx, a.Realm) // this node's view may not include a new channel yet
	if err != nil {
		return err
	}
	bot := v.User(a.User)
	if bot == nil || bot.BotOwner == 0 {
		return rejection
	}
	to, err := message.ParseToChannel(*in.To)
	if err != nil {
		return rejection
	}
	if c, err := message.FindChannel(v, to); err == nil && (to.Name != "" || seesChannel(v, c, bot)) {
		return rejection
	}
	where := "the channel " + links.Bold(links.Escape(to.Name))
	if to.Name == "" {
		where = fmt.Sprintf("a channel with the ID %d", to.ID)
	}
	if err := s.warnOwner(ctx, v, bot, "has tried to write to "+where+", which does not exist."); err != nil {
		return err
	}
	return rejection
}

// warnUnsubscribed warns a bot's owner that the bot is writing to a channel without subscribers.
func (s *Service) warnUnsubscribed(ctx context.Context, v *directory.View, a kit.Actor, out message.Outgoing) error {
	bot, c := v.User(a.User), v.Channel(out.Channel)
	if bot == nil || bot.BotOwner == 0 || c == nil || len(v.Subscribers(c.ID)) > 0 {
		return nil
	}
	if rejection := message.CheckPost(v, bot, c); rejection != nil {
		return rejection
	}
	return s.warnOwner(ctx, v, bot, "has written to the channel "+links.Channel(c)+", which nobody subscribes to.")
}

// warnOwner sends a bot's owner a warning, unless it has sent one recently.
func (s *Service) warnOwner(ctx context.Context, v *directory.View, bot *user.User, what string) error {
	owner := v.User(bot.BotOwner)
	if owner == nil || !owner.Active {
		return nil
	}
	now := s.Clock.Now()
	warned, err := s.Store.Warnings.Warned(ctx, bot.ID, now.Add(-warnInterval))
	if err != nil || warned {
		return err
	}
	return s.Work.Do(ctx, func(ctx context.Context) error {
		due, err := s.Store.Warnings.Warn(ctx, bot.ID, now, now.Add(-warnInterval))
		if err != nil || !due {
			return err
		}
		text := "Your bot " + links.User(v, bot.ID) + " " + what
		return s.Notify(ctx, v.Realm().ID, []Notice{{ToUser: owner.ID, Text: text, As: owner.ID}})
	})
}
