package channel

import "time"

// Messages are counted by day in UTC, numbered from 1970.

const (
	youngest = 7   // days; younger channels report no traffic
	months   = 28  // days that count for the traffic
	rest     = 180 // days without a message until a channel is no longer recently active
)

// Day returns the day of a time.
func Day(t time.Time) int { return int(t.Unix() / (24 * 60 * 60)) }

// TrafficSince returns the first day that counts for the traffic at a time.
func TrafficSince(now time.Time) int { return Day(now) - months + 1 }

// ActiveSince returns the first day on which a message keeps a channel recently active at a time.
func ActiveSince(now time.Time) int { return Day(now) - rest }

// Weekly returns stream_weekly_traffic of a channel by its creation time and the number of messages since TrafficSince;
// nil while the channel is too young.
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

// rounded rounds to two digits, halves to even.
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

// IsQuiet reports whether a channel is not recently active: neither it nor its newest message, sent on the day last, is
// recent. 0: there is no message.
func IsQuiet(created, now time.Time, last int) bool {
	return now.Sub(created) > rest*24*time.Hour && last < ActiveSince(now)
}

// Counted is the number of messages sent to a channel on a day.
type Counted struct {
	Channel  ID
	Day      int
	Messages int
}
