// Package clock provides the system clock. It is the only package that reads the time.
package clock

import "time"

// System is the system clock, in UTC.
type System struct{}

// Now returns the current time.
func (System) Now() time.Time { return time.Now().UTC() } //nolint:forbidigo // this is the clock
