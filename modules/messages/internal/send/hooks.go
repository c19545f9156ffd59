package send

import (
	"context"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/topic"
	"github.com/stoachat/stoa/modules/kit"
)

// Listeners returns the package's hooks.
func (s *Service) Listeners() []kit.Hook { return []kit.Hook{kit.On(s.changing)} }

// changing vetoes restricting a channel to the empty topic if it has messages in other topics.
func (s *Service) changing(ctx context.Context, m *channel.Changing) error {
	if m.New == nil || m.New.TopicsPolicy != topic.OnlyEmpty || m.Old != nil && m.Old.TopicsPolicy == topic.OnlyEmpty {
		return nil
	}
	named, err := s.Store.HasNamedTopics(ctx, message.OfChannel(m.New.ID))
	if err != nil || !named {
		return err
	}
	return errs.Bad("To enable this configuration, all messages in this channel must be in the %s topic.",
		topic.EmptyName).
		With("empty_topic_display_name", topic.EmptyName)
}
