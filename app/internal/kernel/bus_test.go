package kernel

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/adapters/bunstore/storetest"
	"github.com/stoachat/stoa/adapters/bus/bustest"
	"github.com/stoachat/stoa/adapters/bus/nats"
	"github.com/stoachat/stoa/adapters/bus/nats/natstest"
	"github.com/stoachat/stoa/app/kittest/testrun"
	"github.com/stoachat/stoa/domain/user"
)

func TestDatabaseBus(t *testing.T) {
	url := storetest.PostgresURL(t)
	open := func() databaseBus { return databaseBus{storetest.OpenURL(t, bunstore.Config{URL: url})} }
	bustest.Contract(t, open(), open(), func() { endListening(t, url) })
}

// Entries of other nodes arrive through NATS without polling, also after its server has restarted.
func TestNoticesByNATS(t *testing.T) {
	s := natstest.Start(t, testrun.FreeAddr(t), server.Options{})
	cfg := nats.Defaults()
	cfg.URLs = []string{s.URL}
	c := newClusterAt(t, storetest.PostgresURL(t))
	a, b := c.node(neverPoll), c.node(neverPoll)
	for _, n := range []*node{a, b} {
		n.UseBus(nats.New(cfg))
		n.must(n.Start(bg))
	}
	a.must(b.put(bg, 1, 1, named("ann")))
	_, err := a.View(bg, 1)
	a.must(err)
	a.eventually(a.notes.listening.Load)
	a.must(b.put(bg, 1, 2, named("bob")))
	a.eventually(a.followed(2))

	s.Stop()
	a.eventually(func() bool { return !a.notes.listening.Load() })
	a.must(b.put(bg, 1, 3, named("cat"))) // while nobody can tell or listen
	s.Restart()
	a.eventually(a.followed(3))
	a.eventually(a.notes.listening.Load)
	a.must(b.put(bg, 1, 4, named("dan")))
	a.eventually(a.followed(4))
}

// A bus that loses, doubles and reorders notices, and a part of whose nodes is cut off, makes nodes late, not wrong:
// each finds all entries in the log, in order.
func TestFaultyBus(t *testing.T) {
	c := newClusterAt(t, storetest.PostgresURL(t))
	f := &faultyBus{}
	nodes := make([]*node, 3)
	for i := range nodes {
		n := c.node(func(o *Options) { o.Poll, o.PollMore = 50*time.Millisecond, 50*time.Millisecond })
		n.UseBus(&faultyEnd{bus: f})
		n.must(n.Start(bg))
		nodes[i] = n
	}
	const each = 40
	nodes[0].must(nodes[0].put(bg, 1, 1, named("ann")))
	for _, n := range nodes {
		_, err := n.View(bg, 1)
		n.must(err)
	}
	var all sync.WaitGroup
	for i, n := range nodes {
		all.Go(func() {
			for k := range each {
				if k == each/2 {
					f.cut(i)
				}
				n.must(n.put(bg, 1, user.ID(1000*(i+1)+k), named(fmt.Sprint("person ", k))))
			}
		})
	}
	all.Wait()
	const last = 1 + 3*each
	for i, n := range nodes {
		n.eventually(n.followed(last))
		told := n.published()
		for k := 1; k < len(told); k++ {
			if told[k] <= told[k-1] {
				t.Errorf("node %d was told of %d after %d", i, told[k], told[k-1])
			}
		}
	}
}

// faultyBus treats each text by chance.
type faultyBus struct {
	mu   sync.Mutex
	ends []*faultyEnd
	kept string // delivered after the next one
}

// faultyEnd is a node's end of the bus.
type faultyEnd struct {
	bus      *faultyBus
	received func(string)
	broken   chan struct{}
}

var errCut = errors.New("cut off")

func (e *faultyEnd) Tell(_ context.Context, text string) error {
	f := e.bus
	f.mu.Lock()
	defer f.mu.Unlock()
	var now []string
	switch rand.IntN(4) {
	case 0: // lost
		return nil
	case 1:
		now = []string{text, text}
	case 2:
		now, f.kept = []string{f.kept}, text
	default:
		now = []string{text, f.kept}
	}
	for _, to := range f.ends {
		for _, text := range now {
			to.received(text)
		}
	}
	return nil
}

func (e *faultyEnd) Listen(ctx context.Context, ready func(), received func(string)) error {
	f := e.bus
	broken := make(chan struct{})
	f.mu.Lock()
	e.received, e.broken = received, broken
	f.ends = append(f.ends, e)
	f.mu.Unlock()
	ready()
	select {
	case <-broken:
		return errCut
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (*faultyEnd) Close() error { return nil }

// cut breaks the connection of one of the nodes that listen.
func (f *faultyBus) cut(i int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if i < len(f.ends) {
		close(f.ends[i].broken)
		f.ends = append(f.ends[:i:i], f.ends[i+1:]...)
	}
}
