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
func (s *Semaphore[K]) Acquire(ctx context.Context, key K) (done func(), err error) {
	s.mu.Lock()
	sl := s.slots[key]
	if sl == nil {
		sl = &slot{held: make(chan struct{}, s.limit)}
		s.slots[key] = sl
	}
	sl.users++
	s.mu.Unlock()
	select {
	case sl.held <- struct{}{}:
		return func() { <-sl.held; s.release(key, sl) }, nil
	case <-ctx.Done():
		s.release(key, sl)
		return nil, ctx.Err()
	}
}

func (s *Semaphore[K]) release(key K, sl *slot) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if sl.users--; sl.users == 0 {
		delete(s.slots, key)
	}
}
