package events

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/ports"
)

// measures are the module's instruments. They are nil while metrics are off.
type measures struct {
	on        bool
	expired   *ports.Counter
	delivered *ports.Histogram
	woken     *ports.Histogram
}

// live is what is measured about an entry that has reached this node while it runs.
type live struct {
	message bool      // a new message
	asked   time.Time // when it was sent: when this node received it, or when another node committed it
	at      time.Time // when this node has applied the entry
	sent    atomic.Bool
}

// between is how long a client that follows events takes at most from the response to one poll to the next poll.
// Events that arrive for a client that was away longer are not late.
const between = time.Second

func (s *service) measure() measures {
	if s.Metrics == nil {
		return measures{}
	}
	m := s.Metrics
	m.Gauge(ports.Instrument{Name: "stoa_queues", Help: "Event queues that this node holds in memory."},
		func(_ context.Context, set ports.SetValue) error {
			n := 0
			for _, h := range s.allHubs() {
				h.mu.Lock()
				n += len(h.queues)
				h.mu.Unlock()
			}
			set(float64(n))
			return nil
		})
	return measures{
		on: true,
		expired: m.Counter(ports.Instrument{Name: "stoa_queue_expired_total",
			Help: "Event queues that ended because their clients no longer polled."}),
		delivered: m.Histogram(ports.Instrument{Name: "stoa_delivery_seconds",
			Help: "Time from sending a message until the response to the first client that waits for it was written."}),
		woken: m.Histogram(ports.Instrument{Name: "stoa_poll_wake_delay_seconds",
			Help: "Time from the commit of an event until the response to a poll that was waiting for it was written."}),
	}
}

// live begins to measure an entry that this node has just applied.
func (s *service) live(e *event.Entry) *live {
	if !s.m.on {
		return nil
	}
	l := &live{message: e.Type == message.EventNew, asked: e.Asked, at: s.Clock.Now()}
	if l.asked.IsZero() {
		l.asked = e.At
	}
	return l
}

// begin begins to measure a poll. Call it before the hub's begin.
func (m *measures) begin(p *poll, now time.Time) {
	if !m.on {
		return
	}
	p.hub.mu.Lock()
	defer p.hub.mu.Unlock()
	p.begun, p.quick = now, now.Sub(p.queue.seen) < between
}

// sent measures a response to a poll when it has been written.
type sent struct {
	s     *service
	p     *poll
	about []*live
}

// Sent implements kit.Sent.
func (r pollRes) Sent() {
	if r.sent == nil {
		return
	}
	m, p, now := &r.sent.s.m, r.sent.p, r.sent.s.Clock.Now()
	woken := p.held
	for _, l := range r.sent.about {
		waited := !l.at.Before(p.begun)
		if waited && woken {
			m.woken.Took(now.Sub(l.at))
			woken = false
		}
		if l.message && (waited || p.quick) && !l.sent.Swap(true) {
			m.delivered.Took(now.Sub(l.asked))
		}
	}
}
