package channel

import "time"

// Keeps returns how long the channel's messages are kept, or false if they are kept forever. days is the realm's
// default.
func (c *Channel) Keeps(days int) (time.Duration, bool) {
	if c.RetentionDays != nil {
		days = *c.RetentionDays
	}
	return KeepsFor(days)
}

// maxKept is the longest limited retention in days; longer ones mean forever. It is within the range of time.Duration.
const maxKept = 100_000

// KeepsFor converts a retention in days to a duration. It returns false if messages are kept forever.
func KeepsFor(days int) (time.Duration, bool) {
	if days <= 0 || days > maxKept {
		return 0, false
	}
	return time.Duration(days) * 24 * time.Hour, true
}
