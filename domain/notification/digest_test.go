package notification_test

import (
	"testing"
	"time"

	"github.com/stoachat/stoa/domain/notification"
)

func TestDigestDue(t *testing.T) {
	// The 1st is a Monday.
	at := func(day, hour int) time.Time { return time.Date(2026, time.June, day, hour, 0, 0, 0, time.UTC) }
	for _, c := range []struct {
		name          string
		now           time.Time
		weekday, hour int
		last          time.Time
		want          bool
	}{
		{"the first one", at(2, 8), 1, 8, time.Time{}, true},
		{"another day", at(3, 8), 1, 8, time.Time{}, false},
		{"too early", at(2, 7), 1, 8, time.Time{}, false},
		{"Monday", at(1, 8), 0, 8, time.Time{}, true},
		{"Sunday", at(7, 23), 6, 8, time.Time{}, true},
		{"continued", at(2, 23), 1, 8, at(2, 8), true},
		{"a week later", at(9, 8), 1, 8, at(2, 20), true},
		{"the weekday has changed", at(3, 8), 2, 8, at(2, 8), false},
		{"the weekday has changed to the one before", at(8, 8), 0, 8, at(2, 8), true},
		{"another day in another zone", at(2, 8).In(time.FixedZone("", -10*3600)), 1, 8, time.Time{}, true},
	} {
		if got := notification.DigestDue(c.now, c.weekday, c.hour, c.last); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}
