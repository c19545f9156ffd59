package channel

import "time"

// Keeps gives for how long the messages of a channel are kept, days being the realm's default; false: for ever.
func (c *Channel) Keeps(days int) (time.Duration, bool) {
	if c.RetentionDays != nil {
		days = *c.RetentionDays
	}
	return KeepsFor(days)
}

// maxKept is the number of days from which on messages are kept for ever: what a time.Duration can hold, and longer
// than anybody will ask for.
const maxKept = 100_000

// KeepsFor gives how long a number of days is; false: for ever.
func KeepsFor(days int) (time.Duration, bool) {
	if days <= 0 || days > maxKept {
		return 0, false
	}
	return time.Duration(days) * 24 * time.Hour, true
}
