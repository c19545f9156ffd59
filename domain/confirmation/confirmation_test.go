package confirmation_test

import (
	"testing"
	"time"

	"github.com/stoachat/stoa/domain/confirmation"
)

var now = time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)

func TestPending(t *testing.T) {
	soon, past := now.Add(time.Second), now.Add(-time.Second)
	for name, c := range map[string]struct {
		c    confirmation.Confirmation
		want bool
	}{
		"pending":  {confirmation.Confirmation{Kind: confirmation.Address, Expires: soon}, true},
		"expired":  {confirmation.Confirmation{Kind: confirmation.Address, Expires: now}, false},
		"ended":    {confirmation.Confirmation{Kind: confirmation.Password, Expires: soon, Ended: past}, false},
		"a notice": {confirmation.Confirmation{Kind: confirmation.Notice, Expires: soon}, false},
	} {
		if got := c.c.Pending(now); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestWait(t *testing.T) {
	ago := func(minutes ...int) []time.Time {
		var all []time.Time
		for _, m := range minutes {
			all = append(all, now.Add(-time.Duration(m)*time.Minute))
		}
		return all
	}
	limits := []confirmation.Limit{{Most: 2, Over: time.Hour}, {Most: 5, Over: 24 * time.Hour}}
	for name, c := range map[string]struct {
		done []time.Time
		want time.Duration
	}{
		"never":                    {nil, 0},
		"once":                     {ago(0), 0},
		"twice now":                {ago(0, 0), time.Hour},
		"twice":                    {ago(10, 59), time.Minute},
		"in any order":             {ago(59, 10), time.Minute},
		"one just long enough ago": {ago(10, 60), 0},
		"four today":               {ago(10, 100, 200, 300), 0},
		"five today":               {ago(61, 100, 200, 300, 1430), 10 * time.Minute},
		"five today, two of late":  {ago(10, 20, 200, 300, 1439), 40 * time.Minute},
		"five, one yesterday":      {ago(61, 100, 200, 300, 1440), 0},
		"six":                      {ago(61, 100, 200, 300, 400, 1439), 1040 * time.Minute},
	} {
		if got := confirmation.Wait(now, c.done, limits...); got != c.want && (got > 0 || c.want > 0) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}
