// Package presence describes when users were last active and connected, according to reports from their clients.
package presence

import (
	"time"

	"github.com/stoachat/stoa/domain/errs"
)

// Intervals between reports.
const (
	// PingInterval is the interval at which clients report.
	PingInterval = 60 * time.Second
	// OfflineAfter is the time without reports after which a user counts as offline.
	OfflineAfter = 200 * time.Second

	minGap     = 55 * time.Second // earlier reports are dropped
	newlyAfter = OfflineAfter - PingInterval - 10*time.Second
	hiddenFor  = OfflineAfter + 120*time.Second // how long users who hide their presence appear to have been offline
)

// Status is reported by a client.
type Status int8

// The statuses.
const (
	Active Status = iota + 1 // the user is using the client
	Idle                     // the client is connected
)

const maxEcho = 40

// ParseStatus parses the parameter status. Errors: BadRequest.
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

// Times are a user's last activity and connection; zero if there was none.
type Times struct {
	Active    time.Time // zero: never
	Connected time.Time // not before Active
}

// Report returns the times after a report. changed is false for a report that is dropped because another just
// preceded it. online reports whether the user was offline and is now active.
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

// due reports whether t is zero or at least gap ago.
func due(t, now time.Time, gap time.Duration) bool { return t.IsZero() || now.Sub(t) >= gap }

// Hide returns the times to show for a user who starts hiding their presence: offline for some minutes.
func (t Times) Hide(now time.Time) Times {
	offlineAt := now.Add(-hiddenFor)
	if t.Connected.IsZero() || t.Connected.After(offlineAt) {
		t.Connected = offlineAt
	}
	if t.Active.After(offlineAt) {
		t.Active = offlineAt
	}
	return t
}

// Show returns the times of an active user who stops hiding their presence.
func (t Times) Show(now time.Time) Times {
	if now.After(t.Active) {
		t.Active = now
	}
	if t.Active.After(t.Connected) {
		t.Connected = t.Active
	}
	return t
}
