package channels

import (
	"context"

	"github.com/stoachat/stoa/domain/message"
)

// expiring names the oldest messages of channels that keep them for a limited time: their own, or that of their realm.
func (s *service) expiring(ctx context.Context, m *message.Expiring) error {
	rows, err := s.rows.Retaining(ctx, m.Days)
	for _, c := range rows {
		days := m.Days[c.RealmID]
		if c.RetentionDays != nil {
			days = *c.RetentionDays
		}
		m.Firsts = append(m.Firsts, message.First{Realm: c.RealmID, Message: message.ID(c.FirstMessage), Days: days})
	}
	return err
}
