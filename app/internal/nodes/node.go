package nodes

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

// What a dead node holds is free deadAfter after the others have last seen its row change: 12 seconds after its last
// renewal at most, or deadAfter after a restart.
const (
	renewEvery = 3 * time.Second
	holdFor    = 7 * time.Second // a node that cannot renew its row for this long stops its leased work
	deadAfter  = 9 * time.Second
)

// ErrLost is the cause for ending work whose leases other nodes may take over.
var ErrLost = errors.New("nodes: this node could not renew its row in time, so its leases are lost")

// Options describe a node.
type Options struct {
	DB      *bunstore.DB
	Clock   ports.Clock
	Log     *slog.Logger
	Kind    string // serve, or what the process does instead
	Version string
	// Migrations are those that the program knows.
	Migrations func() []bunstore.Migrations
	// Leases returns the columns that name nodes. A node that removes a row empties them.
	Leases func() []kit.Lease
	// Modules, if not nil, returns the names of the server's modules, which all servers should have.
	Modules func() []string
	// Manual disables the renewal in the background. Tests call Renew.
	Manual bool
	// Wait waits in Guard; nil waits on the system clock.
	Wait func(ctx context.Context, d time.Duration) error
	// Evicted, if not nil, is called after this node has found others to be dead, whose leases are now free.
	Evicted func()
	// Observe, if not nil, receives the outcome of each renewal. It reports whether the database is down, which is then
	// logged by the caller.
	Observe func(error) bool
	// Maintained, if not nil, receives the message of SetMaintenance at the start and at each renewal; nil: there is no
	// maintenance.
	Maintained func(message *string)
}

// Node is this process among those that use the database. A node that was not started has an ID like any other, but
// what it holds is free to be taken.
type Node struct {
	Options

	store   store
	elapsed func() time.Duration

	mu       sync.Mutex
	term     *term
	started  bool
	failure  error           // why the row could not be restored
	peers    map[string]peer // the other nodes, by ID
	unlike   error           // another server has other modules
	renewing sync.Mutex
	stop     context.CancelFunc
	ended    chan struct{}
}

// term is a period during which the node has one ID and its row.
type term struct {
	id      string
	lost    context.Context // ends when the leases may be lost
	lose    context.CancelCauseFunc
	renewed time.Duration // when the last successful renewal began
	timer   *time.Timer   // calls lose; nil if the renewal is manual
}

// peer is another node's row as last seen.
type peer struct {
	beat int64
	at   time.Duration // when it was first seen with this beat
	live bool          // its row was renewed while this node looked
}

var _ ports.Node = (*Node)(nil)

// New returns a node that has not started.
func New(o Options) *Node {
	n := &Node{Options: o, store: store{o.DB}, peers: map[string]peer{}, elapsed: elapsed(o.Clock)}
	n.term = n.newTerm(0)
	return n
}

// elapsed returns a function that measures time. That of the system clock does not depend on the clock being set.
func elapsed(c ports.Clock) func() time.Duration {
	if m, ok := c.(interface{ Elapsed() time.Duration }); ok {
		return m.Elapsed
	}
	begin := c.Now()
	return func() time.Duration { return c.Now().Sub(begin) }
}

func (n *Node) newTerm(renewed time.Duration) *term {
	t := &term{id: rand.Text(), renewed: renewed}
	t.lost, t.lose = context.WithCancelCause(context.Background())
	return t
}

// Hold implements ports.Node.
func (n *Node) Hold(ctx context.Context) (held context.Context, holder string, done context.CancelFunc) {
	n.mu.Lock()
	t := n.term
	if n.started && !n.Manual && n.elapsed()-t.renewed > holdFor {
		t.lose(ErrLost)
	}
	n.mu.Unlock()
	held, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(t.lost, func() { cancel(ErrLost) })
	if t.lost.Err() != nil {
		cancel(ErrLost)
	}
	return held, t.id, func() { stop(); cancel(nil) }
}

// Start adds the node's row and begins to renew it. Errors: those of bunstore.DB.Migrations if the schema is newer than
// this program.
func (n *Node) Start(ctx context.Context) error {
	if err := n.register(ctx); err != nil {
		return err
	}
	if _, err := n.observe(ctx); err != nil {
		return err
	}
	if n.Manual {
		return nil
	}
	in, stop := context.WithCancel(context.Background())
	n.stop, n.ended = stop, make(chan struct{})
	go func() {
		defer close(n.ended)
		n.repeat(in)
	}()
	return nil
}

// Stop ends the renewal and deletes the node's row, so that its leases are free.
func (n *Node) Stop(ctx context.Context) error {
	if n.stop != nil {
		n.stop()
		select {
		case <-n.ended:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	n.mu.Lock()
	t, started := n.term, n.started
	n.started = false
	if t.timer != nil {
		t.timer.Stop()
	}
	n.mu.Unlock()
	t.lose(ErrLost)
	if !started {
		return nil
	}
	return n.do(ctx, func(ctx context.Context) error { return n.remove(ctx, t.id) })
}

// Check fails if the node has lost its row and may not have another one, because a newer version has migrated the
// database.
func (n *Node) Check(context.Context) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.failure
}

// register adds a row with a new ID, in place of the present one, unless the schema is newer than this program. The
// lock excludes a migration between the check and the commit. Leases without a row, which a migration or a restored
// backup may have left, are freed.
func (n *Node) register(ctx context.Context) error {
	begin := n.elapsed()
	n.mu.Lock()
	old := n.term
	n.mu.Unlock()
	next := n.newTerm(begin)
	err := n.DB.WithMigrationLock(ctx, func(ctx context.Context) error {
		if _, err := n.DB.Migrations(ctx, n.Migrations()); err != nil {
			return err
		}
		if _, err := n.store.remove(ctx, old.id); err != nil {
			return err
		}
		if err := n.free(ctx); err != nil {
			return err
		}
		return n.store.insert(ctx, n.row(next.id))
	})
	if err != nil {
		return err
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if old.timer != nil {
		old.timer.Stop()
	}
	old.lose(ErrLost)
	if !n.Manual {
		next.timer = time.AfterFunc(holdFor-(n.elapsed()-begin), func() { next.lose(ErrLost) })
	}
	n.term, n.started = next, true
	return nil
}

// remove deletes a row of this node, and frees its leases.
func (n *Node) remove(ctx context.Context, id string) error {
	gone, err := n.store.remove(ctx, id)
	if err != nil || !gone {
		return err
	}
	return n.free(ctx)
}

// free frees the leases of all nodes whose rows are gone. Call it in the transaction that deletes a row.
func (n *Node) free(ctx context.Context) error {
	if n.Leases == nil {
		return nil
	}
	for _, l := range n.Leases() {
		if err := n.store.free(ctx, l, n.Clock.Now()); err != nil {
			return err
		}
	}
	return nil
}

func (n *Node) row(id string) row {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	now := n.Clock.Now()
	r := row{
		ID: id, Kind: n.Kind, Version: n.Version, Schema: schemaOf(n.Migrations()), Host: host, PID: os.Getpid(),
		StartedAt: now, RenewedAt: now,
	}
	if n.Modules != nil {
		r.Modules = strings.Join(slices.Sorted(slices.Values(n.Modules())), " ")
	}
	return r
}

// do runs fn in a transaction. Its connections are those of short changes, so that the renewal does not wait for long
// ones.
func (n *Node) do(ctx context.Context, fn func(context.Context) error) error {
	t, _, err := n.DB.Begin(ctx, bunstore.Batching)
	if err != nil {
		return err
	}
	defer t.Rollback()
	if err := fn(n.DB.With(ctx, t)); err != nil {
		return err
	}
	return t.Commit(ctx)
}
