// Package kernel is what every module stands on: the unit of work, the log of each realm, the views that follow it on
// this node, the writers that commit small changes in batches, and the hooks.
//
// One rule carries all others: an entry of the log is inserted under the number after the last one that the change has
// seen. If somebody was faster, the number is taken, the transaction fails, and the change is decided anew. Locks only
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

// Migrations are the tables of the log; they come before every module's.
func Migrations() bunstore.Migrations { return bunstore.Migrations{Module: "kernel", FS: migrations} }

// Options are what a kernel stands on. Zero durations and numbers mean the defaults.
type Options struct {
	DB       *bunstore.DB
	Clock    ports.Clock
	Log      *slog.Logger
	Lease    time.Duration // no view answers longer than this after it was known to be the newest; 1 s
	Poll     time.Duration // how often the heads of the active realms are asked for; 250 ms
	Idle     time.Duration // a realm that nobody asks for is dropped from memory; 10 min
	Keep     time.Duration // entries are trimmed when they are older; 7 days
	KeepRows int64         // and when there are more of them per realm; 1,000,000
}

// Kernel is one node's kernel. It works from New on; Start only adds what runs by itself.
type Kernel struct {
	o     Options
	db    *bunstore.DB
	log   *slog.Logger
	store store
	hooks hooks
	parts []directory.Part
	heads verifier
	down  atomic.Bool // the database was last seen not to answer

	mu      sync.Mutex
	models  map[realm.ID]*model
	writers map[realm.ID]*writer
	stopped bool
	helping sync.Mutex // the build of a model on a second connection
	live    sync.Mutex // of closed and of adding to running
	closed  bool

	node    [8]byte // of this start of this node
	changes atomic.Uint64
	ctx     context.Context // of all that runs beyond a request
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
)

// New makes a kernel without hooks and directory parts; Collect brings them.
func New(o Options) *Kernel {
	fill(&o.Lease, time.Second)
	fill(&o.Poll, 250*time.Millisecond)
	fill(&o.Idle, 10*time.Minute)
	fill(&o.Keep, 7*24*time.Hour)
	fill(&o.KeepRows, 1_000_000)
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	k := &Kernel{
		o: o, db: o.DB, log: o.Log, store: store{o.DB},
		models: map[realm.ID]*model{}, writers: map[realm.ID]*writer{},
	}
	_, _ = rand.Read(k.node[:]) // never fails
	k.heads.k = k
	k.ctx, k.cancel = context.WithCancel(context.Background())
	return k
}

func fill[T ~int64](v *T, otherwise T) {
	if *v == 0 {
		*v = otherwise
	}
}

// Collect takes the hooks and the directory parts of all modules. Call it once, before anything is asked.
func (k *Kernel) Collect(all []kit.Contribution) error {
	for _, c := range all {
		k.parts = append(k.parts, c.Parts.Directory...)
	}
	return k.hooks.collect(all)
}

// Start looks whether the database was restored while nobody ran, and begins to follow the logs of the active realms.
func (k *Kernel) Start(ctx context.Context) error {
	if err := k.checkTimelines(ctx); err != nil {
		k.log.Warn("comparing the database's timeline", "error", err) // not every server tells it
	}
	k.spawn(k.follow)
	return nil
}

// Stop refuses new small changes, writes those that wait, and ends what runs.
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
	return errors.Join(all...)
}

// spawn runs fn beside; Stop waits for it.
func (k *Kernel) spawn(fn func()) {
	k.live.Lock()
	defer k.live.Unlock()
	if k.closed { // the context has ended: it will not take long
		go fn()
		return
	}
	k.running.Go(fn)
}

// follow asks for the heads of all active realms again and again, which renews the lease of their views, moves them
// over what other nodes wrote, and drops those that nobody asks for.
func (k *Kernel) follow() {
	tick := time.NewTicker(k.o.Poll)
	defer tick.Stop()
	failed := false
	for {
		select {
		case <-k.ctx.Done():
			return
		case <-tick.C:
		}
		active := k.active()
		if len(active) == 0 {
			continue
		}
		err := k.heads.ask(k.ctx, active...)
		if k.ctx.Err() != nil {
			return
		}
		if k.Reached(err) {
			continue
		}
		if err != nil && !failed {
			k.log.Warn("following the realm logs", "error", err)
		}
		failed = err != nil
	}
}

// Reached takes the outcome of a use of the database. When the database stops answering it logs one line with the
// cause, and one when it answers again. It reports whether err means that the database does not answer, so that nothing
// else need be logged.
func (k *Kernel) Reached(err error) bool {
	var answer *errs.Error
	if errors.As(err, &answer) && answer.Code != errs.Unavailable {
		return false // something else was not reached, such as a push service
	}
	lost := err != nil && k.db.Unavailable(err)
	if err != nil && !lost || k.down.Swap(lost) == lost {
		return lost
	}
	if lost {
		k.log.Error("the database does not answer", "cause", bunstore.Cause(err))
	} else {
		k.log.Info("the database answers again")
	}
	return lost
}

// Down reports whether the database was last seen not to answer.
func (k *Kernel) Down() bool { return k.down.Load() }

// origin names one transaction, so that it can be recognized in the log when the answer to its commit was lost.
func (k *Kernel) origin() []byte {
	return binary.BigEndian.AppendUint64(append([]byte(nil), k.node[:]...), k.changes.Add(1))
}

// Outward makes an error of the database one that a client may see: Unavailable when it can't be reached. A lost
// connection is logged as by Reached.
func (k *Kernel) Outward(err error) error {
	if err == nil {
		return nil
	}
	if k.db.Lost(err) {
		k.Reached(err)
	}
	var known *errs.Error
	if errors.As(err, &known) {
		return err
	}
	if k.db.Unavailable(err) || k.db.Retryable(err) || errors.Is(err, errMoved) {
		return unavailable().Because(err)
	}
	return err
}

func unavailable() *errs.Error {
	return errs.New(errs.Unavailable, "The server is temporarily unavailable")
}
