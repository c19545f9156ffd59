package push

import (
	"sync"
	"time"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/user"
)

// effort is something that costs the push services, whose quotas all people of the server share, or whoever a device
// says it is.
type effort int

const (
	registrations effort = iota // of tokens
	tests                       // notifications to all devices of a person
	efforts                     // how many kinds there are
)

// hourly is how often a person may do it in an hour.
var hourly = [efforts]int{registrations: 60, tests: 60}

// limit counts in memory, on each node for itself.
type limit struct {
	mu     sync.Mutex
	hour   int64
	counts map[user.ID]*[efforts]int
}

// take counts one. Errors: RateLimit.
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
