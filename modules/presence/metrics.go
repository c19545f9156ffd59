package presence

import (
	"context"
	"strconv"
	"time"

	"github.com/stoachat/stoa/ports"
)

// measure creates the module's instruments.
func (s *service) measure() {
	var windows []string
	for _, days := range []int{1, 7, 28} {
		windows = append(windows, strconv.Itoa(days)+"d")
	}
	s.Metrics.Gauge(ports.Instrument{
		Name: "stoa_users_active", Help: "Users who were active during the last days.", Age: 5 * time.Minute,
		Labels: []ports.Label{{Name: "window", Values: windows}},
	}, func(ctx context.Context, set ports.SetValue) error {
		now := s.Clock.Now()
		for i, days := range []int{1, 7, 28} {
			n, err := s.rows.ActiveSince(ctx, now.AddDate(0, 0, -days))
			if err != nil {
				return err
			}
			set(float64(n), windows[i])
		}
		return nil
	})
}
