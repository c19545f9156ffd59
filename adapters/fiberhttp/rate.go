package fiberhttp

import (
	"maps"
	"math"
	"sync"
	"time"
)

// buckets limits the rate of an action with a token bucket per key, which refills over the window. Memory is bounded:
// full buckets are not stored, and some are dropped when there are too many.
type buckets[K comparable] struct {
	mu     sync.Mutex
	size   float64
	window time.Duration
	max    int
	m      map[K]bucket
	spent  map[K]float64 // what was taken and not given back since takeSpent; nil: not shared with other nodes
}

type bucket struct {
	tokens float64
	at     time.Time
}

// quota holds the values of the rate limit headers.
type quota struct {
	limit, remaining int
	reset            time.Time     // when the bucket will be full
	wait             time.Duration // until the next token; 0 if there was one
}

func newBuckets[K comparable](size int, window time.Duration, remembered int) *buckets[K] {
	return &buckets[K]{size: float64(size), window: window, max: remembered, m: map[K]bucket{}}
}

// take takes a token, and returns false if there is none.
func (b *buckets[K]) take(k K, now time.Time) (quota, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	e := b.refilled(k, now)
	ok := e.tokens >= 1
	if ok {
		e.tokens--
		b.note(k, 1)
	}
	b.store(k, e)
	q := b.quota(e, now)
	if !ok {
		q.wait = b.refillTime(1 - e.tokens)
	}
	return q, ok
}

// spend takes n tokens if there is at least a fraction of one, so that a single request can overdraw the bucket.
func (b *buckets[K]) spend(k K, n float64, now time.Time) (quota, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	e := b.refilled(k, now)
	ok := e.tokens > 0
	if ok {
		e.tokens -= n
		b.note(k, n)
	}
	b.store(k, e)
	q := b.quota(e, now)
	if !ok {
		q.wait = b.refillTime(1 - e.tokens)
	}
	return q, ok
}

// refund undoes take.
func (b *buckets[K]) refund(k K, now time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	e := b.refilled(k, now)
	e.tokens = math.Min(b.size, e.tokens+1)
	b.note(k, -1)
	b.store(k, e)
}

// note remembers what was taken, for the other nodes. Of too many buckets, it forgets some.
func (b *buckets[K]) note(k K, n float64) {
	if b.spent == nil {
		return
	}
	if _, had := b.spent[k]; had || len(b.spent) < maxSpent {
		b.spent[k] += n
	}
}

// takeSpent returns what was taken since the last call.
func (b *buckets[K]) takeSpent() map[K]float64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.spent) == 0 {
		return nil
	}
	taken := b.spent
	b.spent = map[K]float64{}
	return taken
}

// lose takes n tokens, which may be negative, that were taken on another node. Nobody loses more than a full bucket.
func (b *buckets[K]) lose(k K, n float64, now time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	e := b.refilled(k, now)
	e.tokens = min(max(e.tokens-n, -b.size), b.size)
	b.store(k, e)
}

// peek returns the state of a bucket.
func (b *buckets[K]) peek(k K, now time.Time) quota {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.quota(b.refilled(k, now), now)
}

// least returns the state of the emptiest of some buckets.
func (b *buckets[K]) least(of func(K) bool, now time.Time) quota {
	b.mu.Lock()
	defer b.mu.Unlock()
	least := bucket{b.size, now}
	for k := range b.m {
		if e := b.refilled(k, now); of(k) && e.tokens < least.tokens {
			least = e
		}
	}
	return b.quota(least, now)
}

// reset fills some buckets.
func (b *buckets[K]) reset(of func(K) bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	maps.DeleteFunc(b.m, func(k K, _ bucket) bool { return of(k) })
}

func (b *buckets[K]) quota(e bucket, now time.Time) quota {
	return quota{
		limit: int(b.size), remaining: int(max(e.tokens, 0)), reset: now.Add(b.refillTime(b.size - e.tokens)),
	}
}

func (b *buckets[K]) refilled(k K, now time.Time) bucket {
	e, ok := b.m[k]
	if !ok {
		return bucket{b.size, now}
	}
	if passed := now.Sub(e.at); passed > 0 {
		e.tokens = math.Min(b.size, e.tokens+b.size*float64(passed)/float64(b.window))
		e.at = now
	}
	return e
}

func (b *buckets[K]) refillTime(tokens float64) time.Duration {
	return time.Duration(math.Ceil(tokens / b.size * float64(b.window)))
}

func (b *buckets[K]) store(k K, e bucket) {
	if e.tokens >= b.size {
		delete(b.m, k)
		return
	}
	if _, had := b.m[k]; !had && len(b.m) >= b.max {
		b.makeRoom(e.at)
	}
	b.m[k] = e
}

// makeRoom makes room for new buckets: it drops full ones, then arbitrary ones down to half of the limit.
func (b *buckets[K]) makeRoom(now time.Time) {
	for k := range b.m {
		if b.refilled(k, now).tokens >= b.size {
			delete(b.m, k)
		}
	}
	for k := range b.m {
		if len(b.m) <= b.max/2 {
			return
		}
		delete(b.m, k)
	}
}
