package reading

import (
	"context"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/readstate"
	"github.com/stoachat/stoa/domain/user"
)

// joined puts the floor of new people at the head, so that nobody ever looks through what was sent before they came.
func (s *Service) joined(ctx context.Context, m *user.Joined) error {
	head, err := s.store.Head(ctx)
	if err != nil || head == 0 {
		return err
	}
	return s.store.Save(ctx, []change{{User: m.User.ID, Now: &readstate.State{Floor: head}}})
}

// subscribed opens periods. What was sent before stays read, and historical, without a row. Bots that do not read along
// have none.
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
	head, err := s.store.Head(ctx)
	if err != nil {
		return err
	}
	return s.store.Open(ctx, message.OfChannel(m.Channel), readers, head, m.Seq)
}

// unsubscribed closes periods, and with that everything in the channel is read.
func (s *Service) unsubscribed(ctx context.Context, m *channel.Unsubscribed) error {
	in := message.OfChannel(m.Channel)
	var events []event.Event
	if len(m.Users) <= s.limits.told {
		v, err := s.needs.Directory.View(ctx, m.Realm)
		if err != nil {
			return err
		}
		for _, u := range m.Users {
			p, old, err := s.person(ctx, v, u)
			if err != nil {
				return err
			}
			fs, err := s.unreadIn(ctx, p, old, m.Realm, place{Recipient: in})
			if err != nil {
				return err
			}
			ids := make([]message.ID, len(fs))
			for i, f := range fs {
				ids[i] = f.ID
			}
			if len(ids) > 0 {
				events = append(events, added(m.Realm, u, message.NameRead, ids, false))
			}
		}
	}
	head, err := s.store.Head(ctx)
	if err != nil {
		return err
	}
	if err := s.store.Close(ctx, in, m.Users, head, m.Seq); err != nil {
		return err
	}
	if err := s.store.ClearOld(ctx, m.Users, in); err != nil || len(events) == 0 {
		return err
	}
	return s.needs.Log.Append(ctx, events...)
}
