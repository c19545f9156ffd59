package engine

import (
	"context"
	"time"

	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

// meter shows how far a phase of an import is.
type meter struct {
	clock ports.Clock
	show  func(kit.Progress)
	began time.Time
	shown time.Time
	now   kit.Progress
}

// showEvery is the shortest time between two reports of progress.
const showEvery = 250 * time.Millisecond

func newMeter(ctx context.Context, clock ports.Clock) *meter {
	return &meter{clock: clock, show: func(p kit.Progress) { kit.ShowProgress(ctx, p) }}
}

// begin begins a phase. total is 0 if it is unknown.
func (m *meter) begin(phase string, total int64) {
	m.began = m.clock.Now()
	m.now = kit.Progress{Phase: phase, Total: total}
	m.shown = m.began
	m.show(m.now)
}

// add notes that more was done.
func (m *meter) add(done, bytes int64) {
	m.now.Done, m.now.Bytes = m.now.Done+done, m.now.Bytes+bytes
	at := m.clock.Now()
	if at.Sub(m.shown) < showEvery {
		return
	}
	m.shown, m.now.Elapsed = at, at.Sub(m.began)
	m.show(m.now)
}
