package channel

import (
	"testing"
	"time"
)

func TestWeekly(t *testing.T) {
	now := time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)
	const day = 24 * time.Hour
	for _, c := range []struct {
		age            time.Duration
		messages, want int // -1: none reported
	}{
		{0, 10, -1}, {7*day - time.Second, 10, -1}, {7 * day, 0, 0}, {7 * day, 10, 10}, {8*day - time.Second, 10, 10},
		{8 * day, 10, 8},
		{14 * day, 1, 1}, {14 * day, 2, 1}, {14 * day, 3, 1}, {14 * day, 4, 2}, {27 * day, 27, 7},
		{28*day - time.Second, 28, 7},
		{28 * day, 0, 0}, {28 * day, 1, 1}, {28 * day, 3, 1}, {28 * day, 4, 1}, {28 * day, 8, 2}, {400 * day, 7, 1},
		{400 * day, 4 * 99, 99}, {400 * day, 4 * 101, 100}, {400 * day, 4 * 104, 100}, {400 * day, 4 * 106, 110},
		{400 * day, 4 * 105, 100},
		{400 * day, 4 * 115, 120}, {400 * day, 4 * 995, 1000}, {400 * day, 4 * 12345, 12000}, {400 * day, 4 * 12501, 13000},
	} {
		got := -1
		if n := Weekly(now.Add(-c.age), now, c.messages); n != nil {
			got = *n
		}
		if got != c.want {
			t.Errorf("%d messages in a channel of %v: %d a week, want %d", c.messages, c.age, got, c.want)
		}
	}
}

func TestIsQuiet(t *testing.T) {
	now := time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)
	const day = 24 * time.Hour
	today := Day(now)
	for _, c := range []struct {
		age  time.Duration
		last int
		want bool
	}{
		{0, 0, false}, {180 * day, 0, false}, {180*day + time.Second, 0, true}, {400 * day, today - 180, false},
		{400 * day, today - 181, true},
		{400 * day, today, false},
	} {
		if got := IsQuiet(now.Add(-c.age), now, c.last); got != c.want {
			t.Errorf("created %v ago, last message on day %d of %d: %v", c.age, c.last, today, got)
		}
	}
	if TrafficSince(now) != today-27 || Day(time.Unix(86399, 0)) != 0 || Day(time.Unix(86400, 0)) != 1 {
		t.Error("days are miscounted")
	}
}
