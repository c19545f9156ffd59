package reading

import (
	"context"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/readstate"
	"github.com/stoachat/stoa/domain/user"
)

// Count counts the messages of a topic and those of them with ids from since on, by their index alone.
func (s *Service) Count(
	ctx context.Context,
	in message.Recipient,
	topicKey string,
	since message.ID,
) (message.Movable, error) {
	return s.store.Count(ctx, in, topicKey, since)
}

// CountOwn is Count of what u has in protected history. Of messages that were ever moved between channels ids do not
// tell who has them: these are looked at one after the other.
func (s *Service) CountOwn(
	ctx context.Context,
	v *directory.View,
	u user.ID,
	in message.Recipient,
	topicKey string,
	since message.ID,
) (message.Movable, error) {
	own, err := s.Own(ctx, v, u)
	if err != nil {
		return message.Movable{}, err
	}
	m, err := s.store.CountOwn(ctx, u, in, topicKey, since)
	if err != nil {
		return m, err
	}
	return m, s.store.EachCrossed(ctx, u, in, topicKey, func(rule readstate.Message, flagged bool) {
		if flagged || own.Received(rule) {
			m.Add(rule.ID, since)
		}
	})
}
