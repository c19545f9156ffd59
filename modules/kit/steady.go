package kit

import (
	"sync"
	"time"

	"github.com/stoachat/stoa/ports"
)

// Steady compares the clock with the time that has passed, to detect that the clock was set forward. What is due by the
// clock is then due too early, or seems to be late. The zero value is ready for use.
type Steady struct {
	mu      sync.Mutex
	begun   bool
	now     time.Time     // at the first look
	elapsed time.Duration // at the first look
}

// Ahead returns by how much the clock was set forward since the first call; 0 if it was not, or if the clock does not
// measure the time that passes (Elapsed).
func (s *Steady) Ahead(c ports.Clock) time.Duration {
	m, ok := c.(interface{ Elapsed() time.Duration })
	if !ok {
		return 0
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	elapsed, now := m.Elapsed(), c.Now()
	if !s.begun {
		s.begun, s.now, s.elapsed = true, now, elapsed
	}
	return max(0, now.Sub(s.now)-(elapsed-s.elapsed))
}
