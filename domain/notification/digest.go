package notification

import "time"

// DigestDue reports whether an organization's weekly digest is due: on the given weekday (0 is Monday) from the given
// hour on, in UTC. A digest that began today continues until the day ends; the next one is due at least six days later,
// so that a change of the weekday never causes two within six days. last is when the last one began, or zero.
func DigestDue(now time.Time, weekday, hour int, last time.Time) bool {
	const day = 24 * time.Hour
	now = now.UTC()
	if (int(now.Weekday())+6)%7 != weekday || now.Hour() < hour {
		return false
	}
	today, begun := now.Truncate(day), last.UTC().Truncate(day)
	return begun.Equal(today) || today.Sub(begun) >= 6*day
}
