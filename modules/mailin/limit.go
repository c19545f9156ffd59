package mailin

import (
	"sync"
	"time"
)

// perMinute limits the emails posted per minute from one person or to one channel address. The sending server retries
// the others later.
const perMinute = 20

// limit counts mails in memory, on each node for itself, by the person or the address. What it counts is known to the
// database, so it grows no further.
type limit[K comparable] struct {
	mu     sync.Mutex
	minute int64
	counts map[K]int
}

// take counts a mail, and reports whether it may be posted now.
func (l *limit[K]) take(of K, now time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if m := now.Unix() / 60; m != l.minute {
		l.minute, l.counts = m, map[K]int{}
	}
	l.counts[of]++
	return l.counts[of] <= perMinute
}
