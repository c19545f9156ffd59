package reading

import (
	"context"
	"time"

	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/user"
)

// Count counts the messages of a topic and those of them that were sent since then, in one statement and without reading them out.
func (s *Service) Count(ctx context.Context, in message.Recipient, topicKey string, since time.Time) (message.Movable, error) {
	return s.store.Count(ctx, in, topicKey, since)
}

// CountOwn is Count of what u has in protected history, without messages that were ever moved between channels.
func (s *Service) CountOwn(ctx context.Context, u user.ID, in message.Recipient, topicKey string, since time.Time) (message.Movable, error) {
	periods, err := s.store.Periods(ctx, []pair{{u, in}})
	if err != nil {
		return message.Movable{}, err
	}
	return s.store.CountOwn(ctx, u, periods[u], in, topicKey, since)
}
