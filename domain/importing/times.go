package importing

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Seconds reads a time as seconds since 1970 with an optional fraction, as text, so that no digit is lost.
func Seconds(text string) (time.Time, error) {
	whole, fraction, _ := strings.Cut(strings.TrimSpace(text), ".")
	s, err := strconv.ParseInt(whole, 10, 64)
	if err != nil || s < 0 || len(fraction) > 18 || strings.Trim(fraction, "0123456789") != "" {
		return time.Time{}, fmt.Errorf("%.40q is not a time", text)
	}
	nanos, err := strconv.ParseInt((fraction + "000000000")[:9], 10, 64)
	if err != nil {
		return time.Time{}, fmt.Errorf("%.40q is not a time", text)
	}
	return time.Unix(s, nanos).UTC(), nil
}

// Milliseconds returns the time of a number of milliseconds since 1970.
func Milliseconds(ms int64) time.Time { return time.UnixMilli(ms).UTC() }

// CheckTime refuses the time of a message that cannot be right.
func CheckTime(at, now time.Time) error {
	switch {
	case at.IsZero() || at.Unix() <= 0:
		return fmt.Errorf("the message has no time")
	case at.After(now.Add(24 * time.Hour)):
		return fmt.Errorf("the time of the message is in the future")
	}
	return nil
}
