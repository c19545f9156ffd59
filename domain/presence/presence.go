// Package presence is when people were last there: what a report of their clients makes of it, and what others are
// told.
package presence

import (
	"time"

	"github.com/stoachat/stoa/domain/errs"
)

// The intervals by which clients report and are judged.
const (
	// PingInterval is how often clients report.
	PingInterval = 60 * time.Second
	// OfflineAfter is when somebody of whom nothing was heard counts as gone.
	OfflineAfter = 200 * time.Second

	minGap     = 55 * time.Second // reports that come sooner after the last are dropped
	newlyAfter = OfflineAfter - PingInterval - 10*time.Second
	hiddenFor  = OfflineAfter + 120*time.Second // how long those who hide seem to have been gone by then
)

// Status is what a client reports.
type Status int8

// What there is to report.
const (
	Active Status = iota + 1 // the person is using the client
	Idle                     // the client is connected
)

const maxEcho = 40

// ParseStatus reads the parameter status. Errors: BadRequest.
func ParseStatus(text string) (Status, error) {
	switch text {
	case "active":
		return Active, nil
	case "idle":
		return Idle, nil
	}
	if r := []rune(text); len(r) > maxEcho {
		text = string(r[:maxEcho])
	}
	return 0, errs.Bad("Invalid status: %s", text)
}

// Times are when somebody was last there. The zero value is of somebody of whom nothing was ever heard.
type Times struct {
	Active    time.Time // zero: never
	Connected time.Time // not before Active
}

// Report gives what the times are after a report. changed is false for one that is to be dropped, since another came
// just before it. online tells that the person was gone until now, and is active.
func (t Times) Report(s Status, now time.Time) (after Times, changed, online bool) {
	after = t
	if s == Active && due(t.Active, now, minGap) {
		after.Active, changed = now, true
		online = t.Active.IsZero() || now.Sub(t.Active) > newlyAfter
	}
	if changed || due(t.Connected, now, minGap) {
		changed = true
		if now.After(t.Connected) {
			after.Connected = now
		}
	}
	return after, changed, online
}

// due tells whether a time is far enough in the past, or none.
func due(t, now time.Time, gap time.Duration) bool { return t.IsZero() || now.Sub(t) >= gap }

// Hide gives the times of somebody who no longer wants to be seen: gone for some minutes already.
func (t Times) Hide(now time.Time) Times {
	gone := now.Add(-hiddenFor)
	if t.Connected.IsZero() || t.Connected.After(gone) {
		t.Connected = gone
	}
	if t.Active.After(gone) {
		t.Active = gone
	}
	return t
}

// Show gives the times of somebody who wants to be seen again, and is there.
func (t Times) Show(now time.Time) Times {
	if now.After(t.Active) {
		t.Active = now
	}
	if t.Active.After(t.Connected) {
		t.Connected = t.Active
	}
	return t
}
