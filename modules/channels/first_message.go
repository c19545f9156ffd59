package channels

import (
	"context"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/modules/channels/internal/eventtype"
)

// firstMessagePosted stores a channel's oldest message.
func (s *service) firstMessagePosted(ctx context.Context, m *channel.FirstMessagePosted) error {
	return s.rows.SetFirst(ctx, m.Realm, m.Channel, m.First)
}

// firstMoved stores a channel's new oldest message and notifies users who can see the channel.
func (s *service) firstMoved(ctx context.Context, m *channel.FirstMoved) error {
	v, err := s.Directory.View(ctx, m.Realm)
	if err != nil {
		return err
	}
	old := v.Channel(m.Channel)
	if old == nil || old.FirstMessage == m.First {
		return nil
	}
	if err := s.rows.SetFirst(ctx, m.Realm, m.Channel, m.First); err != nil {
		return err
	}
	now := *old
	now.FirstMessage = m.First
	var value any
	if m.First != 0 {
		value = m.First
	}
	p := eventtype.Updated{
		Update: eventtype.Update{ID: old.ID, Name: old.Name, Property: "first_message_id", Value: value},
		Reach:  eventtype.ReachOf(old),
	}
	changed := eventtype.StreamUpdate.To(m.Realm, event.SeeingChannel(old.ID), p).Changing(directory.OfChannel(old, &now))
	return s.Log.Append(ctx, changed)
}
