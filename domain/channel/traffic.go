package channel

import "time"

// How much is sent to a channel is counted by days, in UTC, since 1970.

const (
	youngest = 7   // days; of younger channels no traffic is told
	months   = 28  // days whose messages count
	rest     = 180 // days without a message after which a channel is no longer recently active
)

// Day gives the day of a time.
func Day(t time.Time) int { return int(t.Unix() / (24 * 60 * 60)) }

// TrafficSince is the first day whose messages count for the traffic, as of now.
func TrafficSince(now time.Time) int { return Day(now) - months + 1 }

// ActiveSince is the first day on which a message keeps a channel recently active, as of now.
func ActiveSince(now time.Time) int { return Day(now) - rest }

// Weekly gives stream_weekly_traffic of a channel that was made then, with that many messages since TrafficSince; nil
// while the channel is too young.
func Weekly(created, now time.Time, messages int) *int {
	age := int(now.Sub(created) / (24 * time.Hour))
	var n int
	switch {
	case age < youngest:
		return nil
	case age < months:
		n = messages * 7 / age
	default:
		n = messages / 4
	}
	if n == 0 && messages > 0 {
		n = 1
	}
	n = rounded(n)
	return &n
}

// rounded keeps two digits; a half goes to the even one.
func rounded(n int) int {
	unit := 1
	for n/unit >= 100 {
		unit *= 10
	}
	up, rest := n/unit, n%unit
	if 2*rest > unit || 2*rest == unit && up%2 == 1 {
		up++
	}
	return up * unit
}

// IsQuiet tells whether a channel is not recently active: it is older than that, and so is its newest message, which
// was sent on the day last; 0: there is none.
func IsQuiet(created, now time.Time, last int) bool {
	return now.Sub(created) > rest*24*time.Hour && last < ActiveSince(now)
}

// Counted is how many messages were sent to a channel on a day.
type Counted struct {
	Channel  ID
	Day      int
	Messages int
}
