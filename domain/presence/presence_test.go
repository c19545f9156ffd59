package presence_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stoachat/stoa/domain/presence"
)

var now = time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)

// ago returns the time a number of seconds ago, or the zero time if the number is negative.
func ago(seconds float64) time.Time {
	if seconds < 0 {
		return time.Time{}
	}
	return now.Add(-time.Duration(seconds * float64(time.Second)))
}

const never = -1

func TestReport(t *testing.T) {
	for name, c := range map[string]struct {
		active, connected float64 // seconds ago, before the report
		status            presence.Status
		wantActive        float64
		wantConnected     float64
		changed, online   bool
	}{
		"first, active":                  {never, never, presence.Active, 0, 0, true, true},
		"first, idle":                    {never, never, presence.Idle, never, 0, true, false},
		"active again, too soon":         {54.9, 54.9, presence.Active, 54.9, 54.9, false, false},
		"active again":                   {55, 55, presence.Active, 0, 0, true, false},
		"idle too soon":                  {54.9, 54.9, presence.Idle, 54.9, 54.9, false, false},
		"idle after active":              {55, 55, presence.Idle, 55, 0, true, false},
		"idle too soon after idle":       {600, 30, presence.Idle, 600, 30, false, false},
		"active just after idle":         {100, 1, presence.Active, 0, 0, true, false},
		"never active, now":              {never, 1, presence.Active, 0, 0, true, true},
		"not away long enough":           {130, 130, presence.Active, 0, 0, true, false},
		"away long enough":               {130.1, 130.1, presence.Active, 0, 0, true, true},
		"inactive long enough":           {130.1, 2, presence.Active, 0, 0, true, true},
		"idle after a long time":         {9999, 9999, presence.Idle, 9999, 0, true, false},
		"ahead of another clock, active": {0, 0, presence.Active, 0, 0, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			before := presence.Times{Active: ago(c.active), Connected: ago(c.connected)}
			after, changed, online := before.Report(c.status, now)
			if want := (presence.Times{Active: ago(c.wantActive), Connected: ago(c.wantConnected)}); after != want ||
				changed != c.changed || online != c.online {
				t.Errorf("got %v %v %v, want %v %v %v", after, changed, online, want, c.changed, c.online)
			}
		})
	}
	ahead := presence.Times{Active: ago(300), Connected: now.Add(time.Minute)}
	if after, changed, _ := ahead.Report(presence.Active, now); !changed || after.Active != now ||
		after.Connected != ahead.Connected {
		t.Errorf("a slow clock sets connected back: %v", after)
	}
	if after, changed, _ := ahead.Report(presence.Idle, now); changed || after != ahead {
		t.Errorf("a slow clock: %v", after)
	}
}

func TestHideAndShow(t *testing.T) {
	for name, c := range map[string]struct{ active, connected, wantActive, wantConnected float64 }{
		"never seen": {never, never, never, 320},
		"there":      {10, 5, 320, 320},
		"idle":       {1000, 5, 1000, 320},
		"gone":       {1000, 500, 1000, 500},
	} {
		t.Run(name, func(t *testing.T) {
			before := presence.Times{Active: ago(c.active), Connected: ago(c.connected)}
			if got, want := before.Hide(now), (presence.Times{Active: ago(c.wantActive),
				Connected: ago(c.wantConnected)}); got != want {
				t.Errorf("hidden: %v, want %v", got, want)
			}
			if got, want := before.Show(now), (presence.Times{Active: now, Connected: now}); got != want {
				t.Errorf("shown: %v, want %v", got, want)
			}
		})
	}
	later := now.Add(time.Minute)
	if got := (presence.Times{Active: later, Connected: later}).Show(now); got.Active != later || got.Connected != later {
		t.Errorf("shown with a slow clock: %v", got)
	}
}

func TestSeen(t *testing.T) {
	for name, c := range map[string]struct {
		active, connected, joined float64
		wantActive, wantIdle      int64
		status                    string
		current                   string
	}{
		"active":                   {0, 0, 9999, 0, 0, "active", "active"},
		"just active":              {70, 0, 9999, 70, 0, "active", "active"},
		"just idle":                {71, 0, 9999, 71, 0, "idle", "idle"},
		"never active":             {never, 0, 9999, 9999, 0, "idle", "idle"},
		"never active, has joined": {never, 0, 10, 10, 0, "active", "active"},
		"hides, has joined":        {never, 320, 10, 320, 320, "active", "offline"},
		"just there":               {200, 200, 9999, 200, 200, "active", "active"},
		"just left":                {201, 201, 9999, 201, 201, "active", "offline"},
		"idle, then left":          {600, 300, 9999, 600, 300, "idle", "offline"},
	} {
		t.Run(name, func(t *testing.T) {
			seen := presence.Times{Active: ago(c.active), Connected: ago(c.connected)}.Seen(ago(c.joined))
			if want := (presence.Seen{Active: now.Unix() - c.wantActive, Idle: now.Unix() - c.wantIdle}); seen != want {
				t.Errorf("got %v, want %v", seen, want)
			}
			at := seen.Active
			if c.status == "idle" {
				at = seen.Idle
			}
			if got := seen.Summary(); got != (presence.Summary{Status: c.status, Timestamp: at}) {
				t.Errorf("summary %v, want %s at %d", got, c.status, at)
			}
			if got := seen.Current(now); got != (presence.Summary{Status: c.current, Timestamp: at}) {
				t.Errorf("current %v, want %s at %d", got, c.current, at)
			}
		})
	}
}

func TestParameters(t *testing.T) {
	if s, err := presence.ParseStatus("active"); err != nil || s != presence.Active {
		t.Error(s, err)
	}
	if s, err := presence.ParseStatus("idle"); err != nil || s != presence.Idle {
		t.Error(s, err)
	}
	for _, bad := range []string{"", "Active", "offline", strings.Repeat("ä", 1000)} {
		if _, err := presence.ParseStatus(bad); err == nil || !strings.Contains(err.Error(), "Invalid status: ") ||
			len(err.Error()) > 120 {
			t.Errorf("%q: %v", bad, err)
		}
	}
	for days, want := range map[int]time.Time{0: now, -3: now, 14: now.Add(-14 * 24 * time.Hour)} {
		if got := presence.Since(now, days); got != want {
			t.Errorf("%d days: %v", days, got)
		}
	}
	if got := presence.Since(now, math.MaxInt); got.After(now) || got.Year() < 1900 {
		t.Errorf("no limit: %v", got)
	}
	if !presence.Broadcasts(100) || presence.Broadcasts(101) {
		t.Error("Broadcasts")
	}
}
