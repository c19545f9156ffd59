package kit

import (
	"context"
	"sync"
)

// Semaphore limits how many operations with the same key, such as a user ID, run at the same time.
type Semaphore[K comparable] struct {
	limit int
	mu    sync.Mutex
	slots map[K]*slot
}

type slot struct {
	held  chan struct{} // one element per operation in progress
	users int           // number of callers that run an operation or wait to
}

// NewSemaphore returns a semaphore that admits limit concurrent operations per key.
func NewSemaphore[K comparable](limit int) *Semaphore[K] {
	return &Semaphore[K]{limit: limit, slots: map[K]*slot{}}
}

// Acquire blocks until another operation with the key may start. The caller must call done exactly once when the
// operation ends. If ctx ends first, Acquire returns its error.
func (t *Semaphore[K]) Acquire(ctx context.Context, key K) (done func(), err error) {
	t.mu.Lock()
	l := t.slots[key]
	if l == nil {
		l = &slot{held: make(chan struct{}, t.limit)}
		t.slots[key] = l
	}
	l.users++
	t.mu.Unlock()
	select {
	case l.held <- struct{}{}:
		return func() { <-l.held; t.release(key, l) }, nil
	case <-ctx.Done():
		t.release(key, l)
		return nil, ctx.Err()
	}
}

func (t *Semaphore[K]) release(key K, l *slot) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if l.users--; l.users == 0 {
		delete(t.slots, key)
	}
}
