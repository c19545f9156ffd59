package kit

import (
	"context"
	"sync"
)

// Turns lets so many at a time do something that has the same key, such as the person who asks for it.
type Turns[K comparable] struct {
	most  int
	mu    sync.Mutex
	lines map[K]*line
}

type line struct {
	turns chan struct{} // full: everybody else waits
	in    int           // how many have a turn or wait for one
}

// NewTurns returns Turns of which each key has most at a time.
func NewTurns[K comparable](most int) *Turns[K] {
	return &Turns[K]{most: most, lines: map[K]*line{}}
}

// Take waits for a turn; done, which must be called once, ends it. Errors: that of ctx.
func (t *Turns[K]) Take(ctx context.Context, key K) (done func(), err error) {
	t.mu.Lock()
	l := t.lines[key]
	if l == nil {
		l = &line{turns: make(chan struct{}, t.most)}
		t.lines[key] = l
	}
	l.in++
	t.mu.Unlock()
	select {
	case l.turns <- struct{}{}:
		return func() { <-l.turns; t.leave(key, l) }, nil
	case <-ctx.Done():
		t.leave(key, l)
		return nil, ctx.Err()
	}
}

func (t *Turns[K]) leave(key K, l *line) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if l.in--; l.in == 0 {
		delete(t.lines, key)
	}
}
