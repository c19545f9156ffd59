// Package clock provides the system clock. It is the only package that reads the time.
package clock

import "time"

// start has a monotonic reading.
var start = time.Now() //nolint:forbidigo // this is the clock

// System is the system clock, in UTC.
type System struct{}

// Now returns the current time.
func (System) Now() time.Time { return time.Now().UTC() } //nolint:forbidigo // this is the clock

// Elapsed returns the time since the program started, which does not change when the clock is set.
func (System) Elapsed() time.Duration { return time.Since(start) }
