package quiet_test

import (
	"testing"
	"time"

	"github.com/stoachat/stoa/domain/quiet"
)

func TestSchedule(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	const office, awake, night = `{"days":[5,4,3,2,1,1],"from":"09:00","to":"18:00"}`,
		`{"days":[1,2,3,4,5,6,7],"from":"07:00","to":"00:00"}`, `{"days":[5],"from":"22:00","to":"06:00"}`
	for _, c := range []struct {
		schedule, at string // at is in UTC; 1 June 2026 is a Monday, and Berlin is two hours ahead
		silenced     bool
	}{
		{office, "2026-06-01 06:59", true}, {office, "2026-06-01 07:00", false}, {office, "2026-06-01 15:59", false},
		{office, "2026-06-01 16:00", true}, {office, "2026-06-06 10:00", true}, {office, "2026-01-05 07:59", true},
		{office, "2026-01-05 08:00", false},
		{awake, "2026-06-01 21:59", false}, {awake, "2026-06-01 22:00", true}, {awake, "2026-06-02 04:59", true},
		{night, "2026-06-05 19:59", true}, {night, "2026-06-05 20:00", false}, {night, "2026-06-06 03:59", false},
		{night, "2026-06-06 04:00", true}, {night, "2026-06-06 20:00", true},
		{`{"days":[1],"from":"00:00","to":"00:00"}`, "2026-06-01 21:59", false}, {`{"days":[],"from":"09:00","to":"18:00"}`,
			"2026-06-01 10:00", true}, {`{}`, "2026-06-01 02:00", false},
	} {
		s, err := quiet.ParseSchedule([]byte(c.schedule))
		if err != nil {
			t.Fatal(err)
		}
		at, err := time.Parse("2006-01-02 15:04", c.at)
		if err != nil {
			t.Fatal(err)
		}
		if got := (quiet.Hours{Schedule: s}).At(at, berlin); got != c.silenced {
			t.Errorf("%s at %s: %v", c.schedule, c.at, got)
		}
	}
	for _, wrong := range []string{`{"days":[0],"from":"09:00","to":"18:00"}`, `{"days":[8],"from":"09:00","to":"18:00"}`,
		`{"days":[1],"from":"9:00","to":"18:00"}`, `{"days":[1],"from":"09:00","to":"24:00"}`, `{"days":[1]}`, `[]`, `{`,
		`{"days":[1,1,1,1,1,1,1,1],"from":"09:00","to":"18:00"}`} {
		if _, err := quiet.ParseSchedule([]byte(wrong)); err == nil {
			t.Errorf("%s is accepted", wrong)
		}
	}
}
