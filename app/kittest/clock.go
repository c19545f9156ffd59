package kittest

import (
	"sync"
	"time"
)

// Clock stands still until it is moved, or advances each time it is read.
type Clock struct {
	mu   sync.Mutex
	now  time.Time
	step time.Duration
	set  time.Duration // by Jump
}

// Epoch is the initial time of a new Clock.
func Epoch() time.Time { return time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC) }

// NewClock returns a clock set to Epoch.
func NewClock() *Clock { return &Clock{now: Epoch()} }

// NewTickingClock returns a clock that starts a microsecond after Epoch and advances by a microsecond each time it is
// read. Like those of a real clock, its readings all differ.
func NewTickingClock() *Clock { return &Clock{now: Epoch(), step: time.Microsecond} }

// Now returns the current time of the clock.
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

// Jump sets the clock forward while no time passes, as an administrator does.
func (c *Clock) Jump(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now, c.set = c.now.Add(d), c.set+d
}

// Elapsed returns the time that has passed since Epoch.
func (c *Clock) Elapsed() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now.Sub(Epoch()) - c.set
}
