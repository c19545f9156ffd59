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

// Limits of a writer. Intents wait until their context ends, which for requests is http.handler_timeout.
const (
	maxWaiting   = 2048     // queued intents
	maxWaitBytes = 32 << 20 // bytes of queued intents
	maxBatch     = 256      // intents
	maxBatchSize = 1 << 20  // bytes
	maxPerUser   = 32       // per user and batch, while other users wait
)

// writer commits a realm's intents. Those that arrive during a commit form the next batch. The goroutine that submits
// the first intent writes its batch; another goroutine runs while intents are queued. On SQLite all writers share the
// single writing connection, one batch at a time.
type writer struct {
	k     *Kernel
	realm realm.ID

	mu      sync.Mutex
	queue   []*queuedIntent
	bytes   int
	running bool
	idle    chan struct{} // closed when the writer stops running
}

// queuedIntent is a queued intent and its submitter.
type queuedIntent struct {
	ctx    context.Context // used only to detect cancellation
	by     user.ID
	caller user.Actor // the caller of the request that submitted the intent, if any
	intent *ports.Intent
	state  atomic.Int32
	asked  time.Time // zero: nothing is measured
	done   chan error
}

const (
	queued int32 = iota
	taken
	canceled
)

// Submit implements ports.Writer. Inside a unit of work, the intent is written as part of that unit.
func (k *Kernel) Submit(ctx context.Context, r realm.ID, by user.ID, in *ports.Intent) error {
	if u := unitOf(ctx); u != nil {
		return u.submit(ctx, r, in)
	}
	ctx, span := k.o.Traces.Within(ctx, ports.SpanTransaction, in.Kind.Name)
	err := k.submit(ctx, r, by, in)
	span.End(err)
	return err
}

// submit is Submit outside of a unit of work.
func (k *Kernel) submit(ctx context.Context, r realm.ID, by user.ID, in *ports.Intent) error {
	item := &queuedIntent{ctx: ctx, by: by, intent: in, asked: k.m.now(), done: make(chan error, 1)}
	if a, ok := ports.Caller(ctx); ok && a.Realm == r {
		item.caller = a
	}
	w, mustWrite, err := k.enqueue(r, item)
	if err != nil {
		return err
	}
	if mustWrite && w.batch() { // writing on this goroutine saves a lone sender two goroutine switches
		k.spawn(w.run)
	}
	select {
	case err := <-item.done:
		return err
	case <-ctx.Done():
		if item.state.CompareAndSwap(queued, canceled) || item.state.Load() == canceled {
			return ctx.Err()
		}
		return <-item.done // already being written, so the outcome is known soon
	}
}

// enqueue adds an intent to its realm's queue. If mustWrite is set, the caller must write the batch.
func (k *Kernel) enqueue(r realm.ID, in *queuedIntent) (w *writer, mustWrite bool, err error) {
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
	if stopped || len(w.queue) >= maxWaiting || w.bytes+in.intent.Size > maxWaitBytes {
		return w, false, unavailable()
	}
	w.queue = append(w.queue, in)
	w.bytes += in.intent.Size
	mustWrite = !w.running
	if mustWrite {
		w.running = true
		w.idle = make(chan struct{})
	}
	return w, mustWrite, nil
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
func (w *writer) take() []*queuedIntent {
	var list, rest []*queuedIntent
	perKind, perUser := map[*ports.IntentKind]int{}, map[user.ID]int{}
	later := map[user.ID]bool{}
	size, full := 0, false
	severalUsers := slices.ContainsFunc(w.queue, func(in *queuedIntent) bool { return in.by != w.queue[0].by })
	for _, in := range w.queue {
		if in.ctx.Err() != nil {
			in.state.CompareAndSwap(queued, canceled)
		}
		kind := in.intent.Kind
		full = full || len(list) == maxBatch || len(list) > 0 && (in.intent.OwnTx || size+in.intent.Size > maxBatchSize)
		fits := !full && !later[in.by] && (kind.Max == 0 || perKind[kind] < kind.Max) &&
			(!severalUsers || perUser[in.by] < maxPerUser)
		switch {
		case in.state.Load() == canceled:
			w.bytes -= in.intent.Size
		case fits && in.state.CompareAndSwap(queued, taken):
			w.bytes -= in.intent.Size
			list, size, full = append(list, in), size+in.intent.Size, in.intent.OwnTx
			perKind[kind]++
			perUser[in.by]++
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
