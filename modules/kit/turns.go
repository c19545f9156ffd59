package kit

import (
	"context"
	"sync"
)

// Turns limits how many operations with the same key, such as the user of a request, run at the same time.
type Turns[K comparable] struct {
	most  int
	mu    sync.Mutex
	lines map[K]*line
}

type line struct {
	turns chan struct{} // one element per caller that has a turn
	in    int           // number of callers that have a turn or wait for one
}

// NewTurns returns Turns with a limit of most per key.
func NewTurns[K comparable](most int) *Turns[K] {
	return &Turns[K]{most: most, lines: map[K]*line{}}
}

// Take waits for a turn. The caller must call done once to end it. Errors: that of ctx.
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
