package channels

import (
	"context"

	"github.com/stoachat/stoa/domain/message"
)

// oldestRetained answers [message.OldestRetained].
func (s *service) oldestRetained(ctx context.Context, q message.OldestRetained) ([]message.First, error) {
	rows, err := s.rows.Retaining(ctx, q.Days)
	var all []message.First
	for _, c := range rows {
		days := q.Days[c.RealmID]
		if c.RetentionDays != nil {
			days = *c.RetentionDays
		}
		all = append(all, message.First{Realm: c.RealmID, Message: message.ID(c.FirstMessage), Days: days})
	}
	return all, err
}
