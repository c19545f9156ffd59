package kittest

import (
	"sync"
	"time"
)

// Clock stands still until it is moved.
type Clock struct {
	mu  sync.Mutex
	now time.Time
}

// Epoch is what a new Clock shows.
func Epoch() time.Time { return time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC) }

// NewClock gives a clock that shows Epoch.
func NewClock() *Clock { return &Clock{now: Epoch()} }

// Now gives the time shown.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
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
