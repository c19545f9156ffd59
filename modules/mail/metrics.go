package mail

import (
	"context"
	"time"

	"github.com/stoachat/stoa/ports"
)

// measure creates the module's instruments.
func (s *service) measure() {
	s.sent = s.Metrics.Counter(ports.Instrument{Name: "stoa_mail_sent_total", Labels: []ports.Label{ports.Outcomes()},
		Help: "Attempts to send an email. Those that fail are repeated."})
	s.Metrics.Gauge(ports.Instrument{Name: "stoa_mail_queue", Help: "Emails waiting to be sent.", Age: 15 * time.Second},
		func(ctx context.Context, set ports.SetValue) error {
			n, err := s.store.Waiting(ctx)
			set(float64(n))
			return err
		})
}
