package mailin

import (
	"sync"
	"time"
)

// perMinute is the maximum number of emails posted per minute from one user or to one channel address. The sending
// server retries the rest later.
const perMinute = 20

// limit counts emails in memory, per node, by user or address. All keys exist in the database, which bounds the map.
type limit[K comparable] struct {
	mu     sync.Mutex
	minute int64
	counts map[K]int
}

// take counts an email, and reports whether it is within the limit.
func (l *limit[K]) take(of K, now time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if m := now.Unix() / 60; m != l.minute {
		l.minute, l.counts = m, map[K]int{}
	}
	l.counts[of]++
	return l.counts[of] <= perMinute
}
