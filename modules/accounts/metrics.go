package accounts

import (
	"context"
	"time"

	"github.com/stoachat/stoa/ports"
)

// measure creates the module's instruments.
func (s *service) measure() {
	s.Metrics.Gauge(ports.Instrument{
		Name: "stoa_users", Help: "Accounts of all organizations, without the server's own bots.", Age: 5 * time.Minute,
		Labels: []ports.Label{{Name: "kind", Values: []string{"person", "bot", "deactivated"}}},
	}, func(ctx context.Context, set ports.SetValue) error {
		people, bots, deactivated, err := s.store.counts(ctx)
		set(float64(people), "person")
		set(float64(bots), "bot")
		set(float64(deactivated), "deactivated")
		return err
	})
}
