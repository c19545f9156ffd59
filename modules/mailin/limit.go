package mailin

import (
	"sync"
	"time"

	"github.com/stoachat/stoa/domain/user"
)

// perMinute is how many replies of one person are posted in a minute; further ones are handed over again later.
const perMinute = 20

// limit counts replies in memory, on each node for itself.
type limit struct {
	mu     sync.Mutex
	minute int64
	counts map[user.ID]int
}

// take counts a reply, and reports whether it may be posted now.
func (l *limit) take(u user.ID, now time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if m := now.Unix() / 60; m != l.minute {
		l.minute, l.counts = m, map[user.ID]int{}
	}
	l.counts[u]++
	return l.counts[u] <= perMinute
}
