package presence

import "time"

// Seen is a user's presence as shown to others, in Unix seconds.
type Seen struct {
	Active int64 `json:"active_timestamp"`
	Idle   int64 `json:"idle_timestamp"`
}

// Seen returns the times to show others. Users who were never active appear active when they joined, but never later
// than Connected, so that hidden users do not appear online.
func (t Times) Seen(joined time.Time) Seen {
	active := t.Active
	if active.IsZero() {
		active = joined
	}
	if active.After(t.Connected) {
		active = t.Connected
	}
	return Seen{active.Unix(), t.Connected.Unix()}
}

// activeFor is the time in seconds after the last activity during which a connected client counts as active in the
// legacy format.
const activeFor = 70

// Summary is a user's presence in the legacy format.
type Summary struct {
	Status    string `json:"status"`    // "active", "idle" or "offline"
	Timestamp int64  `json:"timestamp"` // Unix seconds
}

// Summary returns the legacy format.
func (s Seen) Summary() Summary {
	if s.Active+activeFor >= s.Idle {
		return Summary{"active", s.Active}
	}
	return Summary{"idle", s.Idle}
}

// Current returns the legacy format for endpoints that also report offline users.
func (s Seen) Current(now time.Time) Summary {
	sum := s.Summary()
	if now.Unix()-sum.Timestamp > int64(OfflineAfter/time.Second) {
		sum.Status = "offline"
	}
	return sum
}

// Days of history in a presence list.
const (
	DefaultDays = 14
	maxDays     = 100 * 366
)

// Since returns the earliest connection time of users in a list with the given days of history.
func Since(now time.Time, days int) time.Time { return now.AddDate(0, 0, -min(max(days, 0), maxDays)) }

// maxBroadcast is the largest number of active users of a realm that broadcasts users coming online.
const maxBroadcast = 100

// Broadcasts reports whether a realm with the given number of active users broadcasts users coming online. In larger
// realms that would dominate the traffic, so clients receive it in the response to their next report.
func Broadcasts(people int) bool { return people <= maxBroadcast }
