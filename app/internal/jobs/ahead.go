package jobs

import (
	"sync"
	"time"

	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

const (
	tolerated = 5 * time.Minute // by which a clock may be corrected without consequences
	// doubted is how long nothing is deleted after the clock was set forward, so that it can be set back. A machine that
	// was suspended looks the same.
	doubted = 24 * time.Hour
)

// doubt knows whether the clock was set forward, so that it may be wrong.
type doubt struct {
	steady kit.Steady

	mu       sync.Mutex
	accepted time.Duration // what the clock is ahead and was not set back for long
	since    time.Time     // by a clock that is not set; zero if there is no doubt
}

// rises reports whether the time by the clock is in doubt, and whether it was not before.
func (d *doubt) rises(c ports.Clock) (doubtful, first bool) {
	ahead := d.steady.Ahead(c)
	steady := c.Now().Add(-ahead)
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case ahead-d.accepted <= tolerated:
		d.since, d.accepted = time.Time{}, min(d.accepted, ahead)
	case d.since.IsZero():
		d.since = steady
		return true, true
	case steady.Sub(d.since) < doubted:
		return true, false
	default:
		d.since, d.accepted = time.Time{}, ahead
	}
	return false, false
}
