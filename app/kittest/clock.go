package kittest

import (
	"sync"
	"time"
)

// Clock stands still until it is moved, or goes on with each reading.
type Clock struct {
	mu   sync.Mutex
	now  time.Time
	step time.Duration
}

// Epoch is what a new Clock shows.
func Epoch() time.Time { return time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC) }

// NewClock gives a clock that shows Epoch.
func NewClock() *Clock { return &Clock{now: Epoch()} }

// NewTickingClock gives a clock that shows a microsecond more than Epoch, and another at each further reading: who
// reads it twice gets two times, as from a real one.
func NewTickingClock() *Clock { return &Clock{now: Epoch(), step: time.Microsecond} }

// Now gives the time shown.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(c.step)
	return c.now
}

// Advance moves the clock forward.
func (c *Clock) Advance(d time.Duration) { c.Set(c.Now().Add(d)) }

// Set moves the clock to t.
func (c *Clock) Set(t time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = t.UTC()
}
