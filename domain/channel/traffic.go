package channel

import "time"

// Messages are counted by day in UTC. Days are numbered from 1970.

const (
	minAge      = 7   // days; younger channels report no traffic
	trafficDays = 28  // days over which traffic is measured
	quietAfter  = 180 // days without a message until a channel is no longer recently active
)

// Day returns the number of the day that contains a time.
func Day(t time.Time) int { return int(t.Unix() / (24 * 60 * 60)) }

// TrafficSince returns the first of the days over which traffic is measured.
func TrafficSince(now time.Time) int { return Day(now) - trafficDays + 1 }

// ActiveSince returns the day since which a channel must have had a message to count as recently active.
func ActiveSince(now time.Time) int { return Day(now) - quietAfter }

// Weekly returns a channel's stream_weekly_traffic, given its creation time and the number of its messages since
// TrafficSince. It returns nil if the channel is too young.
func Weekly(created, now time.Time, messages int) *int {
	age := int(now.Sub(created) / (24 * time.Hour))
	var n int
	switch {
	case age < minAge:
		return nil
	case age < trafficDays:
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

// IsQuiet reports whether a channel is not recently active: it was not created recently and has had no message
// recently. last is the day of its newest message, or 0 if it has none.
func IsQuiet(created, now time.Time, last int) bool {
	return now.Sub(created) > quietAfter*24*time.Hour && last < ActiveSince(now)
}

// Counted is the number of messages sent to a channel on one day.
type Counted struct {
	Channel  ID
	Day      int
	Messages int
}
