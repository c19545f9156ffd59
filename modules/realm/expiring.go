package realm

import (
	"context"

	"github.com/stoachat/stoa/domain/message"
)

// expiring reports the realms that keep messages for a limited time.
func (s *service) expiring(ctx context.Context, m *message.Expiring) error {
	days, err := s.store.Retaining(ctx)
	for r, n := range days {
		m.Days[r] = n
	}
	return err
}
