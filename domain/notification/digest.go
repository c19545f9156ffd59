package notification

import "time"

// DigestDue reports whether an organization sends its weekly digest at a time: on a weekday (0 is Monday) from an hour
// on, in UTC. A digest that has begun goes on while its day lasts, and the next one is due a week later, or up to a day
// earlier; if the weekday is changed, nobody gets two within six days. last is when the last one began, zero if there
// was none.
func DigestDue(now time.Time, weekday, hour int, last time.Time) bool {
	const day = 24 * time.Hour
	now = now.UTC()
	if (int(now.Weekday())+6)%7 != weekday || now.Hour() < hour {
		return false
	}
	today, begun := now.Truncate(day), last.UTC().Truncate(day)
	return begun.Equal(today) || today.Sub(begun) >= 6*day
}
