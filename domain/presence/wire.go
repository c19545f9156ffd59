package presence

import "time"

// Seen is what others are told of somebody's times, in seconds since 1970.
type Seen struct {
	Active int64 `json:"active_timestamp"`
	Idle   int64 `json:"idle_timestamp"`
}

// Seen gives the times for others. Who was never active was so when they joined, as far as others are told, but never
// later than connected: that would make somebody who hides seem to be there.
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

// activeFor is how many seconds after the last activity a connected client counts as active in the older format.
const activeFor = 70

// Summary is the older format's picture of somebody.
type Summary struct {
	Status    string `json:"status"`    // "active", "idle", and for those who are gone "offline"
	Timestamp int64  `json:"timestamp"` // since when: seconds since 1970
}

// Summary gives the older format.
func (s Seen) Summary() Summary {
	if s.Active+activeFor >= s.Idle {
		return Summary{"active", s.Active}
	}
	return Summary{"idle", s.Idle}
}

// Current gives the older format where it also tells of those who are gone.
func (s Seen) Current(now time.Time) Summary {
	sum := s.Summary()
	if now.Unix()-sum.Timestamp > int64(OfflineAfter/time.Second) {
		sum.Status = "offline"
	}
	return sum
}

// The days of history that a list begins with.
const (
	DefaultDays = 14
	maxDays     = 100 * 366
)

// Since gives the time after which people must have been connected to be in a list that begins with so many days of
// history.
func Since(now time.Time, days int) time.Time { return now.AddDate(0, 0, -min(max(days, 0), maxDays)) }

// maxTold is how many active people a realm has at most if they are told at once of whoever comes online.
const maxTold = 100

// Tells tells whether a realm with so many active people tells them at once of whoever comes online. In larger ones
// that would be most of what is sent, and clients hear of it when they report the next time.
func Tells(people int) bool { return people <= maxTold }
