package scim

import (
	"sync"
	"time"

	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/ports"
)

// perSecond is the number of requests that a token may make in a second, on each node.
const perSecond = 50

// rates limits the requests of each token.
type rates struct {
	clock ports.Clock
	mu    sync.Mutex
	of    map[tokenID]bucket

	strangers map[realm.ID]time.Time // when a request without a valid token was last recorded
}

// notable reports whether to record a request without a valid token.
func (r *rates) notable(id realm.ID) bool {
	now := r.clock.Now()
	r.mu.Lock()
	defer r.mu.Unlock()
	if last, known := r.strangers[id]; known && now.Sub(last) < strangerEvery {
		return false
	}
	if r.strangers == nil {
		r.strangers = map[realm.ID]time.Time{}
	}
	r.strangers[id] = now
	return true
}

type bucket struct {
	left float64
	at   time.Time
}

// take counts a request, and reports whether it is within the limit.
func (r *rates) take(id tokenID) bool {
	now := r.clock.Now()
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.of) > 1000 { // those of revoked tokens, or of many organizations; all are full again within a second
		r.of = nil
	}
	b, known := r.of[id]
	if !known {
		b = bucket{perSecond, now}
	}
	b.left = min(perSecond, b.left+perSecond*max(0, now.Sub(b.at).Seconds()))
	b.at = now
	ok := b.left >= 1
	if ok {
		b.left--
	}
	if r.of == nil {
		r.of = map[tokenID]bucket{}
	}
	r.of[id] = b
	return ok
}
