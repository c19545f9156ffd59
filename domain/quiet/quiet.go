// Package quiet describes when a user's notifications are silenced: by a pause until a time, and outside the hours of a
// weekly schedule.
package quiet

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/stoachat/stoa/domain/errs"
)

// MaxPause is the maximum duration of a pause.
const MaxPause = 366 * 24 * time.Hour

// Hours is when a user's notifications are silenced; the zero value is never.
type Hours struct {
	PausedUntil int64     `json:"paused_until"` // in seconds since 1970; 0: not paused
	Schedule    *Schedule `json:"schedule"`     // nil: none
}

// Schedule lists when notifications are allowed: on some days, between two times of day. If From is later than To, the
// hours end on the next day; if both are equal, they are the whole day.
type Schedule struct {
	Days []int  `json:"days"` // 1 is Monday, 7 is Sunday
	From string `json:"from"` // "15:04"
	To   string `json:"to"`
}

// ParseSchedule parses a schedule and sorts its days. An empty object means no schedule. Errors: BadRequest.
func ParseSchedule(text []byte) (*Schedule, error) {
	s := &Schedule{}
	if err := json.Unmarshal(text, s); err != nil {
		return nil, errs.Bad("schedule is not valid").Because(err)
	}
	if s.Days == nil && s.From == "" && s.To == "" {
		return nil, nil
	}
	if len(s.Days) > 7 || slices.ContainsFunc(s.Days, func(day int) bool { return day < 1 || day > 7 }) {
		return nil, errs.Bad("The days of a schedule are numbers from 1, for Monday, to 7.")
	}
	slices.Sort(s.Days)
	s.Days = slices.Compact(s.Days)
	if minute(s.From) < 0 || minute(s.To) < 0 {
		return nil, errs.Bad(`The times of a schedule have the form "09:00".`)
	}
	return s, nil
}

// CheckPause checks the end of a pause. Errors: BadRequest.
func CheckPause(until int64, now time.Time) error {
	if until != 0 && (until <= now.Unix() || until > now.Add(MaxPause).Unix()) {
		return errs.Bad("paused_until must be in the future, within a year.")
	}
	return nil
}

// Equal reports whether the two have the same pause and schedule.
func (h Hours) Equal(other Hours) bool {
	a, b := h.Schedule, other.Schedule
	return h.PausedUntil == other.PausedUntil && (a == nil) == (b == nil) &&
		(a == nil || a.From == b.From && a.To == b.To && slices.Equal(a.Days, b.Days))
}

// At reports whether notifications are silenced at t, in the user's time zone.
func (h Hours) At(t time.Time, zone *time.Location) bool {
	return t.Unix() < h.PausedUntil || h.Schedule != nil && !h.Schedule.allows(t.In(zone))
}

func (s *Schedule) allows(local time.Time) bool {
	from, to, now := minute(s.From), minute(s.To), local.Hour()*60+local.Minute()
	today, before := s.on(local.Weekday()), s.on(local.AddDate(0, 0, -1).Weekday())
	switch {
	case from == to:
		return today
	case from < to:
		return today && from <= now && now < to
	}
	return today && from <= now || before && now < to
}

func (s *Schedule) on(day time.Weekday) bool { return slices.Contains(s.Days, (int(day)+6)%7+1) }

// minute returns the minute of the day of a time such as "09:00", or -1 if it is invalid.
func minute(s string) int {
	t, err := time.Parse("15:04", s)
	if err != nil || len(s) != len("15:04") {
		return -1
	}
	return t.Hour()*60 + t.Minute()
}
