package kernel

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/ports"
)

// Several nodes write concurrently: shared facts by read-modify-write, and messages. The test checks invariants 1 to 5
// of README.md.
func TestManyWriters(t *testing.T) {
	w := newCluster(t)
	nodes := []*node{w.node(), w.node(), w.node()}
	nodes[0].must(nodes[0].put(bg, 1, 1, named("0")))
	const each = 25
	var wg sync.WaitGroup
	var mu sync.Mutex
	acked := map[int64]string{}
	for i, n := range nodes {
		n.must(n.Start(bg))
		for range 2 {
			wg.Go(func() {
				for range each { // a counter, which misses a step if a change is based on outdated facts
					err := n.put(bg, 1, 1, func(u *user.User) { u.FullName = fmt.Sprint(count(u.FullName) + 1) })
					if err != nil {
						t.Error(err)
					}
				}
			})
		}
		for s := range 4 {
			wg.Go(func() {
				for j := range each {
					body := fmt.Sprintf("%d/%d/%d", i, s, j)
					id, err := n.send(bg, 1, 1, body)
					if err != nil {
						t.Error(err)
						continue
					}
					mu.Lock()
					acked[id] = body
					mu.Unlock()
				}
			})
		}
	}
	wg.Wait()
	log := nodes[0].wholeLog(1)
	want := 1 + len(nodes)*(2*each+4*each)
	if len(log) != want {
		t.Fatalf("%d entries, want %d", len(log), want)
	}
	last, steps := int64(0), 0
	view := directory.Empty()
	for _, e := range log {
		if e.Ref != 0 {
			if e.Ref <= last {
				t.Fatalf("message %d after %d", e.Ref, last)
			}
			last = e.Ref
			delete(acked, e.Ref)
		}
		for _, c := range e.Changes {
			if c.User.Old != nil {
				if had := view.User(1); had.FullName != c.User.Old.FullName {
					t.Fatalf("entry %d was decided based on %s, the facts were %s", e.Seq, c.User.Old.FullName, had.FullName)
				}
			}
			steps++
		}
		view = view.Apply(int64(e.Seq), e.Changes...)
	}
	if len(acked) != 0 || count(view.User(1).FullName) != steps-1 {
		t.Fatalf("%d acknowledged messages are missing from the log; count %s of %d", len(acked), view.User(1).FullName,
			steps-1)
	}
	for i, n := range nodes {
		v, err := n.Verified(bg, 1)
		n.must(err)
		if v.Seq() != int64(want) || facts(v) != facts(view) {
			t.Errorf("node %d: %s at %d", i, facts(v), v.Seq())
		}
		told := n.published()
		if !slices.IsSorted(told) || len(slices.Compact(slices.Clone(told))) != len(told) || len(told) == 0 ||
			told[len(told)-1] != event.Seq(want) ||
			int(told[len(told)-1]-told[0])+1 != len(told) {
			t.Errorf("node %d was notified of %v", i, told)
		}
	}
}

func count(s string) (n int) { _, _ = fmt.Sscan(s, &n); return n }

// If another node changes the facts between a unit's reading and its commit, the unit must be retried.
func TestFence(t *testing.T) {
	w := newCluster(t)
	a, b := w.node(), w.node()
	if a.db.OneWriter() {
		t.Skip("requires commits during another write transaction")
	}
	a.must(a.put(bg, 1, 1, named("ann")))
	runs := 0
	err := a.Do(bg, func(ctx context.Context) error {
		runs++
		v, err := a.View(ctx, 1)
		a.must(err)
		if runs == 1 { // by a writer that ignores the lane
			b.must(b.Do(bg, func(ctx context.Context) error {
				old := v.User(1)
				now := *old
				now.Active = false
				return unitOf(ctx).append([]event.Event{userEvent.To(1, event.Everyone(),
					nil).Changing(directory.OfUser(old, &now))})
			}))
		}
		if _, err := a.Lock(ctx, 1); err != nil {
			return errs.Bad("what the module makes of it") // a module's error must not hide that the unit has to be retried
		}
		if !v.User(1).Active {
			return errs.Bad("deactivated")
		}
		return a.Append(ctx, messageEvent.To(1, event.Everyone(), sent{}))
	})
	if runs != 2 || err == nil || err.Error() != "deactivated" {
		t.Fatalf("%d runs: %v", runs, err)
	}
	runs = 0 // entries that change no facts do not matter
	err = a.Do(bg, func(ctx context.Context) error {
		runs++
		_, err := a.View(ctx, 1)
		a.must(err)
		b.must(b.Do(bg, func(ctx context.Context) error {
			return b.Append(ctx, messageEvent.To(1, event.Everyone(), sent{}))
		}))
		return a.Append(ctx, messageEvent.To(1, event.Everyone(), sent{}))
	})
	if runs != 1 || err != nil {
		t.Fatalf("%d runs: %v", runs, err)
	}
	if v, err := a.View(bg, 1); err != nil || v.Seq() != 4 {
		t.Fatalf("%v %v", v.Seq(), err)
	}
}

// A unit that is overtaken repeatedly locks the realm before it decides.
func TestOvertakenUnitSucceeds(t *testing.T) {
	w := newCluster(t)
	a, b := w.node(), w.node()
	if a.db.OneWriter() {
		t.Skip("requires commits during another write transaction")
	}
	a.must(a.put(bg, 1, 1, named("0")))
	runs := 0
	err := a.Do(bg, func(ctx context.Context) error {
		runs++
		v, err := a.View(ctx, 1)
		if err != nil {
			return err
		}
		if !unitOf(ctx).locked {
			b.must(b.Do(bg, func(ctx context.Context) error {
				return unitOf(ctx).append([]event.Event{userEvent.To(1, event.Everyone(),
					nil).Changing(directory.OfUser(v.User(1), v.User(1)))})
			}))
		}
		return a.Append(ctx, messageEvent.To(1, event.Everyone(), sent{}))
	})
	if err != nil || runs != 3 {
		t.Fatalf("%d runs: %v", runs, err)
	}
}

// If a writer ignores the lock and takes the next position, nothing happens twice, and the change is decided again.
// Correctness depends on this; locks only avoid retries.
func TestTakenPosition(t *testing.T) {
	w := newCluster(t)
	a, b := w.node(), w.node()
	if a.db.OneWriter() {
		t.Skip("requires commits during another write transaction")
	}
	a.must(a.put(bg, 1, 1, named("ann")))
	intrude := func(after event.Seq) {
		tx, _, err := b.db.Begin(bg, bunstore.Changing)
		b.must(err)
		r, err := encode(messageEvent.To(1, event.Everyone(), sent{Body: "intruder"}), b.clock.Now())
		b.must(err)
		r.Seq, r.Origin = after+1, []byte{1}
		text, err := b.store.insert([]row{r})
		b.must(err)
		b.must(tx.Commit(bg, text))
	}
	runs := 0
	a.must(a.Do(bg, func(ctx context.Context) error {
		runs++
		head, err := a.Lock(ctx, 1)
		if err != nil {
			return err
		}
		if runs == 1 {
			intrude(head)
		}
		return a.put(ctx, 1, 2, named("bob"))
	}))
	if log := a.wholeLog(1); runs != 2 || len(log) != 3 || len(log[2].Changes) != 1 {
		t.Fatalf("%d runs, %d entries", runs, len(log))
	}
	kind := a.sends
	runs = 0
	kind.Write = func(ctx context.Context, v *directory.View, last event.Seq, in []*ports.Intent) ([]event.Event, error) {
		runs++
		if runs == 1 {
			intrude(last)
		}
		return a.write(ctx, v, last, in)
	}
	in := &ports.Intent{Kind: &kind, Value: &messageRow{RealmID: 1, Sender: 1, Body: "x"}}
	a.must(a.Submit(bg, 1, 1, in))
	log := a.wholeLog(1)
	if runs != 2 || len(log) != 5 || log[4].Ref != in.Value.(*messageRow).ID {
		t.Fatalf("%d runs, %d entries", runs, len(log))
	}
	n, err := a.db.From(bg).NewSelect().Model((*messageRow)(nil)).Count(bg)
	a.must(err)
	if v, err := a.View(bg, 1); err != nil || v.Seq() != 5 || n != 1 {
		t.Fatalf("view at %d, %d messages, %v", v.Seq(), n, err)
	}
}

// While a node is paused, another one writes. The paused node never returns its old view, and its change is decided
// again.
func TestPausedNode(t *testing.T) {
	w := newCluster(t)
	a, b := w.node(), w.node()
	a.must(a.put(bg, 1, 1, named("ann")))
	_, err := a.View(bg, 1)
	a.must(err)
	b.must(b.put(bg, 1, 1, func(u *user.User) { u.Active = false }))
	v, err := a.View(bg, 1)
	a.must(err)
	if v.Seq() != 1 {
		t.Fatalf("%d queries within the lease", v.Seq())
	}
	if _, err := a.send(bg, 1, 1, "no longer"); !errs.Is(err, errs.BadRequest) {
		t.Fatalf("a deactivated user sent a message: %v", err)
	}
	b.must(b.put(bg, 1, 2, named("bob")))
	a.clock.advance(1100 * time.Millisecond)
	v, err = a.View(bg, 1)
	a.must(err)
	if v.Seq() != 3 || v.User(1).Active || v.User(2) == nil {
		t.Fatalf("an expired view answered: %s at %d", facts(v), v.Seq())
	}
	a.must(b.put(bg, 1, 3, named("cat")))
	if v, err = a.Verified(bg, 1); err != nil || v.User(3) == nil {
		t.Fatalf("verified: %v", err)
	}
	if got := a.published(); !slices.Equal(got[len(got)-3:], []event.Seq{2, 3, 4}) {
		t.Fatalf("told of %v", got)
	}
}

func TestSnapshotIsOfOnePosition(t *testing.T) {
	w := newCluster(t)
	a, b := w.node(), w.node()
	a.must(a.put(bg, 1, 1, named("0")))
	done := make(chan struct{})
	go func() {
		defer close(done)
		for i := range 60 {
			n := []*node{a, b}[i%2]
			if err := n.put(bg, 1, user.ID(1+i%3), named(fmt.Sprint(i))); err != nil {
				t.Error(err)
			}
		}
	}()
	check := func(n *node) {
		err := n.Snapshot(bg, 1, func(ctx context.Context) error {
			v, err := n.View(ctx, 1)
			n.must(err)
			rows, err := n.rows(ctx, 1)
			n.must(err)
			var bld directory.Builder
			for _, r := range rows {
				bld.User(r.user())
			}
			if got, want := facts(v), facts(bld.View(0)); got != want {
				t.Errorf("view at %d: %s\nrows: %s", v.Seq(), got, want)
			}
			es, upto, err := n.After(ctx, 1, 0, 1000)
			n.must(err)
			if int64(upto) != v.Seq() || len(es) != int(upto) {
				t.Errorf("the log is at %d, the view at %d", upto, v.Seq())
			}
			if err := n.Do(ctx, func(context.Context) error { return nil }); err == nil {
				t.Error("a change within a snapshot succeeded")
			}
			return nil
		})
		n.must(err)
	}
	for {
		check(a)
		check(b)
		select {
		case <-done:
			check(a)
			check(b)
			return
		default:
		}
	}
}
