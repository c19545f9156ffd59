package readstate

import (
	"context"
	"time"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/messages/internal/flags"
)

// subscribed opens subscription periods. Messages sent before a period are read and historical without any rows.
// Service bots have no periods.
func (s *Service) subscribed(ctx context.Context, m *channel.Subscribed) error {
	v, err := s.needs.Directory.View(ctx, m.Realm)
	if err != nil {
		return err
	}
	readers := make(user.Set, 0, len(m.Users))
	for _, id := range m.Users {
		if u := v.User(id); u == nil || !u.BotType.Service() {
			readers = append(readers, id)
		}
	}
	if len(readers) == 0 {
		return nil
	}
	head, err := s.states.facts.head(ctx)
	if err != nil {
		return err
	}
	return s.needs.Inbox.Open(ctx, message.OfChannel(m.Channel), readers, head, m.Seq)
}

// unsubscribed closes subscription periods, which makes all messages in the channel read.
func (s *Service) unsubscribed(ctx context.Context, m *channel.Unsubscribed) error {
	in := message.OfChannel(m.Channel)
	var events []event.Event
	if len(m.Users) <= s.limits.maxLeaving {
		v, err := s.needs.Directory.View(ctx, m.Realm)
		if err != nil {
			return err
		}
		for _, u := range m.Users {
			p, old, err := s.states.loadWhole(ctx, v, u)
			if err != nil {
				return err
			}
			fs, err := s.finder.unreadIn(ctx, p, old, m.Realm, place{Recipient: in})
			if err != nil {
				return err
			}
			ids := make([]message.ID, len(fs))
			for i, f := range fs {
				ids[i] = f.ID
			}
			if len(ids) > 0 {
				events = append(events, flags.Added(m.Realm, u, message.NameRead, ids))
			}
		}
	}
	head, err := s.states.facts.head(ctx)
	if err != nil {
		return err
	}
	if err := s.needs.Inbox.Close(ctx, in, m.Users, head, m.Seq); err != nil {
		return err
	}
	if err := s.needs.Flags.ClearOld(ctx, m.Users, in); err != nil || len(events) == 0 {
		return err
	}
	return s.needs.Log.Append(ctx, events...)
}

// CatchUp opens and closes the periods of subscriptions that have begun or ended while the module was left out.
func (s *Service) CatchUp(ctx context.Context, r realm.ID, _ time.Time) error {
	return s.reconcile(ctx, r)
}

// channelsReturned does the same if the module channels was left out.
func (s *Service) channelsReturned(ctx context.Context, m *channel.Returned) error {
	return s.reconcile(ctx, m.Realm)
}

func (s *Service) reconcile(ctx context.Context, r realm.ID) error {
	v, err := s.needs.Directory.View(ctx, r)
	if err != nil {
		return err
	}
	for c := range v.Channels() {
		if err := s.needs.Work.Do(ctx, func(ctx context.Context) error { return s.reconcileIn(ctx, r, c.ID) }); err != nil {
			return err
		}
	}
	return nil
}

func (s *Service) reconcileIn(ctx context.Context, r realm.ID, c channel.ID) error {
	last, err := s.needs.Log.Lock(ctx, r)
	if err != nil {
		return err
	}
	v, err := s.needs.Directory.View(ctx, r)
	if err != nil {
		return err
	}
	open, err := s.needs.Inbox.Subscribed(ctx, message.OfChannel(c))
	if err != nil {
		return err
	}
	now := v.Subscribers(c)
	if gone := open.Minus(now); len(gone) > 0 {
		err := s.unsubscribed(ctx, &channel.Unsubscribed{Realm: r, Channel: c, Users: gone, Seq: int64(last)})
		if err != nil {
			return err
		}
	}
	come := now.Minus(open)
	if len(come) == 0 {
		return nil
	}
	return s.subscribed(ctx, &channel.Subscribed{Realm: r, Channel: c, Users: come, Seq: int64(last)})
}
