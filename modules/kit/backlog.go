package kit

import (
	"context"
	"sync"
	"time"
)

// Backlog is work that waits in a table until a job does it. A job with a backlog costs nothing while no work is due:
// it runs when the server knows of due work, not at every interval. Declare one value, and refer to it in all jobs that
// do this work.
type Backlog struct {
	// Earliest is a SELECT without parameters that returns one value: when the first item is due, NULL if none waits.
	// The value is a timestamp or a number of Units since 1970; 0 is due at once. It may be too early, which causes a
	// useless run, but never too late. Use an index, since all backlogs are read every few seconds.
	Earliest string
	Unit     time.Duration // of a number; 0 means a second

	mu        sync.Mutex
	listeners []func()
}

// Added makes the jobs of this node look at the backlog. Call it after committing an item, or an earlier time of one:
// s.Work.AfterCommit(ctx, s.backlog.Added). If that is omitted, or the server crashes before it, the item is only found
// a few seconds later.
func (b *Backlog) Added(context.Context) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, fn := range b.listeners {
		fn()
	}
}

// OnAdded registers a function for each call of Added. It must not block.
func (b *Backlog) OnAdded(fn func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.listeners = append(b.listeners, fn)
}
