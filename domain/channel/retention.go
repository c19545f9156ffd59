package channel

import "time"

// Keeps returns how long the messages of a channel are kept, with days as the realm's default; false: forever.
func (c *Channel) Keeps(days int) (time.Duration, bool) {
	if c.RetentionDays != nil {
		days = *c.RetentionDays
	}
	return KeepsFor(days)
}

// maxKept is the number of days from which messages are kept forever: within the range of time.Duration, and longer
// than anyone needs.
const maxKept = 100_000

// KeepsFor returns the duration of a number of days; false: forever.
func KeepsFor(days int) (time.Duration, bool) {
	if days <= 0 || days > maxKept {
		return 0, false
	}
	return time.Duration(days) * 24 * time.Hour, true
}
