package kernel

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/ports"
)

// Limits of a writer.
const (
	maxWaiting   = 2048
	maxWaitBytes = 32 << 20
	maxWaitTime  = 2 * time.Second
	maxBatch     = 256
	maxBatchSize = 1 << 20
	maxOfPerson  = 32 // per user and batch, while other users wait
)

// writer commits a realm's intents. Those that arrive during a commit form the next batch. The goroutine that submits
// the first intent writes its batch; another goroutine runs while intents are queued. On SQLite all writers share the
// single writing connection, one batch at a time.
type writer struct {
	k     *Kernel
	realm realm.ID

	mu      sync.Mutex
	queue   []*waiting
	bytes   int
	running bool
	idle    chan struct{} // closed when the writer stops running
}

// waiting is a queued intent and its submitter.
type waiting struct {
	ctx    context.Context // used only to detect cancellation
	by     user.ID
	caller user.Actor // the caller of the request that submitted the intent, if any
	in     *ports.Intent
	since  time.Time
	state  atomic.Int32
	done   chan error
}

const (
	queued int32 = iota
	taken
	left
)

// Submit implements ports.Writer. Inside a unit of work, the intent is written as part of that unit.
func (k *Kernel) Submit(ctx context.Context, r realm.ID, by user.ID, in *ports.Intent) error {
	if u := unitOf(ctx); u != nil {
		return u.submit(ctx, r, in)
	}
	mine := &waiting{ctx: ctx, by: by, in: in, since: k.o.Clock.Now(), done: make(chan error, 1)}
	if a, asked := ports.Caller(ctx); asked && a.Realm == r {
		mine.caller = a
	}
	w, lead, err := k.enqueue(r, mine)
	if err != nil {
		return err
	}
	if lead &&
		w.batch() { // no batch is running: writing it on this goroutine saves a lone sender two switches
		k.spawn(w.run)
	}
	select {
	case err := <-mine.done:
		return err
	case <-ctx.Done():
		if mine.state.CompareAndSwap(queued, left) || mine.state.Load() == left {
			return ctx.Err()
		}
		return <-mine.done // already being written, so the outcome is known soon
	}
}

// enqueue adds an intent to its realm's queue. If lead is set, the caller must write the batch.
func (k *Kernel) enqueue(r realm.ID, in *waiting) (w *writer, lead bool, err error) {
	k.mu.Lock()
	w = k.writers[r]
	if w == nil {
		w = &writer{k: k, realm: r}
		k.writers[r] = w
	}
	stopped := k.stopped
	k.mu.Unlock()
	w.mu.Lock()
	defer w.mu.Unlock()
	if stopped || len(w.queue) >= maxWaiting || w.bytes+in.in.Size > maxWaitBytes ||
		len(w.queue) > 0 && in.since.Sub(w.queue[0].since) > maxWaitTime {
		return w, false, unavailable()
	}
	w.queue = append(w.queue, in)
	w.bytes += in.in.Size
	lead = !w.running
	if lead {
		w.running = true
		w.idle = make(chan struct{})
	}
	return w, lead, nil
}

func (w *writer) run() {
	for w.batch() {
	}
}

// batch writes the next batch and reports whether intents are left. If there are none, the writer stops running.
func (w *writer) batch() bool {
	w.mu.Lock()
	list := w.take()
	w.mu.Unlock()
	if len(list) > 0 {
		w.write(list)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.queue) == 0 {
		w.running = false
		close(w.idle)
	}
	return w.running
}

// take removes the next batch from the queue, in order of arrival. A user's intents never overtake each other. The
// caller holds w.mu.
func (w *writer) take() []*waiting {
	var list, rest []*waiting
	kinds, people := map[*ports.IntentKind]int{}, map[user.ID]int{}
	later := map[user.ID]bool{}
	size, full := 0, false
	crowd := slices.ContainsFunc(w.queue, func(in *waiting) bool { return in.by != w.queue[0].by })
	for _, in := range w.queue {
		if in.ctx.Err() != nil {
			in.state.CompareAndSwap(queued, left)
		}
		kind := in.in.Kind
		full = full || len(list) == maxBatch || len(list) > 0 && (in.in.Alone || size+in.in.Size > maxBatchSize)
		fits := !full && !later[in.by] && (kind.Max == 0 || kinds[kind] < kind.Max) && (!crowd || people[in.by] < maxOfPerson)
		switch {
		case in.state.Load() == left:
			w.bytes -= in.in.Size
		case fits && in.state.CompareAndSwap(queued, taken):
			w.bytes -= in.in.Size
			list, size, full = append(list, in), size+in.in.Size, in.in.Alone
			kinds[kind]++
			people[in.by]++
		default:
			later[in.by] = true
			rest = append(rest, in)
		}
	}
	w.queue = rest
	return list
}

// drain waits until all queued intents are written. The kernel has stopped, so none are added.
func (w *writer) drain(ctx context.Context) error {
	w.mu.Lock()
	running, idle := w.running, w.idle
	w.mu.Unlock()
	if !running {
		return nil
	}
	select {
	case <-idle:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
