package push

import (
	"sync"
	"time"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/user"
)

// effort is an action that costs quota of push services, shared by the whole server, or that sends requests to hosts
// that a device chose.
type effort int

const (
	registrations effort = iota // of tokens
	tests                       // notifications to all devices of a user
	efforts                     // number of kinds
)

// hourly is how often a user may do each per hour.
var hourly = [efforts]int{registrations: 60, tests: 60}

// limit counts in memory, per node.
type limit struct {
	mu     sync.Mutex
	hour   int64
	counts map[user.ID]*[efforts]int
}

// take counts one action. Errors: RateLimit.
func (l *limit) take(e effort, u user.ID, now time.Time) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if h := now.Unix() / 3600; h != l.hour || l.counts == nil {
		l.hour, l.counts = h, map[user.ID]*[efforts]int{}
	}
	if l.counts[u] == nil {
		l.counts[u] = &[efforts]int{}
	}
	if l.counts[u][e]++; l.counts[u][e] > hourly[e] {
		return errs.New(errs.RateLimit, "Too many registrations or tests of devices in an hour.").
			With("retry-after", 3600-now.Unix()%3600)
	}
	return nil
}
