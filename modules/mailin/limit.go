package mailin

import (
	"sync"
	"time"
)

// maxPerMinute is the maximum number of emails posted per minute from one user or to one channel address. The sending
// server retries further emails later.
const maxPerMinute = 20

// rateLimit counts emails by user or address, in memory and per node. All keys exist in the database, which bounds the
// size of the map.
type rateLimit[K comparable] struct {
	mu     sync.Mutex
	minute int64
	counts map[K]int
}

// allow counts an email and reports whether it is within the limit.
func (l *rateLimit[K]) allow(of K, now time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if m := now.Unix() / 60; m != l.minute {
		l.minute, l.counts = m, map[K]int{}
	}
	l.counts[of]++
	return l.counts[of] <= maxPerMinute
}
