package push

import (
	"sync"
	"time"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/user"
)

// action is a type of action that is limited per user, because it counts against the server's quota at a push service
// or sends requests to hosts chosen by users.
type action int

const (
	registrations action = iota // registrations of tokens
	tests                       // test notifications to a user's devices
	actionTypes                 // number of constants above
)

// hourlyLimits holds the maximum number of actions per user and hour.
var hourlyLimits = [actionTypes]int{registrations: 60, tests: 60}

// limit counts actions in memory, so the limits apply per node.
type limit struct {
	mu     sync.Mutex
	hour   int64
	counts map[user.ID]*[actionTypes]int
}

// take counts one action. Errors: RateLimit.
func (l *limit) take(a action, u user.ID, now time.Time) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if h := now.Unix() / 3600; h != l.hour || l.counts == nil {
		l.hour, l.counts = h, map[user.ID]*[actionTypes]int{}
	}
	if l.counts[u] == nil {
		l.counts[u] = &[actionTypes]int{}
	}
	if l.counts[u][a]++; l.counts[u][a] > hourlyLimits[a] {
		return errs.New(errs.RateLimit, "Too many registrations or tests of devices in an hour.").
			With("retry-after", 3600-now.Unix()%3600)
	}
	return nil
}
