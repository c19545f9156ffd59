// Package clock is the clock adapter: the only place that asks the machine for the time.
package clock

import "time"

// System is the machine's clock, in UTC.
type System struct{}

// Now gives the time.
func (System) Now() time.Time { return time.Now().UTC() } //nolint:forbidigo // this is the clock
