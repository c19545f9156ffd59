// Package kernel implements what all modules are built on: the unit of work, each realm's log, the views that follow
// the log on this node, the writers that commit small changes in batches, and the hooks.
//
// Everything rests on one rule: a log entry is inserted with the number after the last entry that the change has seen.
// If another change was faster, the number is taken, the transaction fails, and the change is decided again. Locks only
// make writers queue instead of failing.
package kernel

import (
	"context"
	"crypto/rand"
	"embed"
	"encoding/binary"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

//go:embed migrations
var migrations embed.FS

// Migrations returns the migrations of the log's tables, which run before those of any module.
func Migrations() bunstore.Migrations { return bunstore.Migrations{Module: "kernel", FS: migrations} }

// Options configures a kernel. Zero durations and numbers select the defaults.
type Options struct {
	DB       *bunstore.DB
	Clock    ports.Clock
	Log      *slog.Logger
	Metrics  *ports.Metrics
	Traces   *ports.Traces
	Panics   *kit.Panics
	Lease    time.Duration // how long a view may be used after it was last verified to be the newest; 1 s
	Poll     time.Duration // interval at which the heads of active realms are polled; 2 s
	PollMore time.Duration // the same while notices of other nodes do not arrive; 250 ms
	Idle     time.Duration // how long an unused realm stays in memory; 10 min
	Keep     time.Duration // age beyond which entries are trimmed; 7 days
	KeepRows int64         // number of entries per realm beyond which older ones are trimmed; 1,000,000
}

// Kernel is the kernel of one node. It can be used after New; Start adds the background work.
type Kernel struct {
	o     Options
	db    *bunstore.DB
	log   *slog.Logger
	store store
	hooks hooks
	parts []directory.Part
	heads verifier
	m     measures
	notes *notices
	bus   ports.Bus                    // nil: there are no other nodes
	hints map[string]func(text string) // by subject
	down  atomic.Bool                  // whether the last use of the database failed to reach it

	newer     atomic.Pointer[newerError] // why this node cannot follow the logs; nil: it can
	responded atomic.Int64               // when the database responded again, in Unix nanoseconds

	mu      sync.Mutex
	models  map[realm.ID]*model
	writers map[realm.ID]*writer
	stopped bool
	helping sync.Mutex // held by the build that uses a second connection
	live    sync.Mutex // guards closed and additions to running
	closed  bool

	node    [8]byte // random each time this node starts
	changes atomic.Uint64
	ctx     context.Context // canceled to end all work that outlives requests
	cancel  context.CancelFunc
	running sync.WaitGroup
}

var (
	_ ports.UnitOfWork = (*Kernel)(nil)
	_ ports.EventLog   = (*Kernel)(nil)
	_ ports.LogReader  = (*Kernel)(nil)
	_ ports.Directory  = (*Kernel)(nil)
	_ ports.Writer     = (*Kernel)(nil)
	_ ports.Hooks      = (*Kernel)(nil)
	_ ports.Audit      = (*Kernel)(nil)
	_ ports.LogReset   = (*Kernel)(nil)
)

// New returns a kernel without hooks and directory parts. Collect adds them.
func New(o Options) *Kernel {
	fill(&o.Lease, time.Second)
	fill(&o.Poll, 2*time.Second)
	fill(&o.PollMore, 250*time.Millisecond)
	fill(&o.Idle, 10*time.Minute)
	fill(&o.Keep, 7*24*time.Hour)
	fill(&o.KeepRows, 1_000_000)
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	k := &Kernel{
		o: o, db: o.DB, log: o.Log, store: store{db: o.DB, slots: directory.Slots{}},
		models: map[realm.ID]*model{}, writers: map[realm.ID]*writer{},
	}
	_, _ = rand.Read(k.node[:]) // never fails
	k.heads.k, k.store.refuse = k, k.refuse
	k.notes = newNotices(k)
	if o.DB != nil && o.DB.Notifies() {
		k.bus = databaseBus{o.DB}
	}
	k.ctx, k.cancel = context.WithCancel(context.Background())
	return k
}

func fill[T ~int64](v *T, otherwise T) {
	if *v == 0 {
		*v = otherwise
	}
}

// Collect registers the hooks and directory parts of all modules. Call it once, before the first request.
func (k *Kernel) Collect(all []kit.Contribution) error {
	for _, c := range all {
		k.parts = append(k.parts, c.Parts.Directory...)
		for _, p := range c.Parts.Directory {
			if p.Slot != nil {
				k.store.slots[p.Slot.Key()] = p.Slot
			}
		}
	}
	k.measure(all)
	return k.hooks.collect(all)
}

// Start checks whether the database was restored while no node was running, and starts following the logs of active
// realms.
func (k *Kernel) Start(ctx context.Context) error {
	if err := k.checkTimelines(ctx); err != nil {
		k.log.Warn("cannot compare the database's timeline", "error", err) // not every database server supports it
	}
	k.spawn(k.follow)
	if k.bus != nil {
		k.spawn(k.notes.send)
		k.spawn(k.notes.listen)
	}
	return nil
}

// Stop refuses new intents, commits waiting ones, and ends the background work.
func (k *Kernel) Stop(ctx context.Context) error {
	k.mu.Lock()
	k.stopped = true
	writers := make([]*writer, 0, len(k.writers))
	for _, w := range k.writers {
		writers = append(writers, w)
	}
	k.mu.Unlock()
	var all []error
	for _, w := range writers {
		all = append(all, w.drain(ctx))
	}
	k.cancel()
	k.live.Lock()
	k.closed = true
	k.live.Unlock()
	done := make(chan struct{})
	go func() { k.running.Wait(); close(done) }()
	select {
	case <-done:
	case <-ctx.Done():
		all = append(all, ctx.Err())
	}
	if k.bus != nil {
		all = append(all, k.bus.Close())
	}
	return errors.Join(all...)
}

// spawn runs fn in a goroutine that Stop waits for.
func (k *Kernel) spawn(fn func()) {
	k.live.Lock()
	defer k.live.Unlock()
	if k.closed { // the context has been canceled, so fn returns soon
		go fn()
		return
	}
	k.running.Go(fn)
}

// ObserveDatabase records the outcome of a use of the database. It logs one line with the cause when the database
// becomes unreachable, and one when it can be reached again. It returns true if err means that the database is
// unreachable, in which case the caller need not log it.
func (k *Kernel) ObserveDatabase(err error) bool {
	var known *errs.Error
	if errors.As(err, &known) && known.Code != errs.Unavailable {
		return false // another service was unavailable, such as a push service
	}
	if err == nil && k.Down() && !k.db.Writable() {
		return false // a read succeeded
	}
	lost := err != nil && k.db.Unavailable(err)
	if err != nil && !lost || k.down.Swap(lost) == lost {
		return lost
	}
	now := k.o.Clock.Now().UnixNano()
	switch {
	case !lost:
		k.responded.Store(now)
		k.log.Info("the database responds again")
	case now-k.responded.Load() > int64(sameOutage):
		k.log.Error("the database does not respond", "cause", bunstore.Cause(err))
	}
	return lost
}

// sameOutage is how soon after an outage another one is part of it: the connections to a database that is stopped end
// one after the other, and some still respond meanwhile.
const sameOutage = time.Second

// Down reports whether the last use of the database failed to reach it.
func (k *Kernel) Down() bool { return k.down.Load() }

// origin returns a unique mark for a transaction. It identifies the transaction's entries if the response to the commit
// is lost.
func (k *Kernel) origin() []byte {
	return binary.BigEndian.AppendUint64(append([]byte(nil), k.node[:]...), k.changes.Add(1))
}

// ClientError converts a database error to one that clients may see: Unavailable if the database cannot be reached.
// Like ObserveDatabase, it logs a lost connection.
func (k *Kernel) ClientError(err error) error {
	if err == nil {
		return nil
	}
	if k.db.Lost(err) {
		k.ObserveDatabase(err)
	}
	var known *errs.Error
	if errors.As(err, &known) {
		return err
	}
	var newer *newerError
	if k.db.Unavailable(err) || k.db.Retryable(err) || errors.Is(err, errStale) || errors.As(err, &newer) {
		return unavailable().Because(err)
	}
	return err
}

func unavailable() *errs.Error {
	return errs.New(errs.Unavailable, "The server is temporarily unavailable")
}
