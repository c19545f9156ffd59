package edit

import (
	"context"
	"sync"

	"github.com/stoachat/stoa/domain/user"
)

// A move of a whole topic is charged for each message, as for looking through so many bytes.
const perMove = 4 << 10

// turns lets each person move one topic at a time.
type turns struct {
	mu   sync.Mutex
	busy map[user.ID]chan struct{} // closed when that person's move has ended
}

// take waits for the person's turn; done ends it.
func (t *turns) take(ctx context.Context, u user.ID) (done func(), err error) {
	for {
		t.mu.Lock()
		before, busy := t.busy[u]
		if !busy {
			mine := make(chan struct{})
			t.busy[u] = mine
			t.mu.Unlock()
			return func() {
				t.mu.Lock()
				delete(t.busy, u)
				t.mu.Unlock()
				close(mine)
			}, nil
		}
		t.mu.Unlock()
		select {
		case <-before:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}
