package kernel

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/ports"
)

// gate is an intent kind whose first batch blocks until the test releases it, so that later intents queue up.
type gate struct {
	ports.IntentKind
	entered chan struct{}
	open    chan struct{}
}

func newGate() *gate {
	g := &gate{entered: make(chan struct{}), open: make(chan struct{})}
	g.Name = "gate"
	g.Write = func(context.Context, *directory.View, event.Seq, []*ports.Intent) ([]event.Event, error) {
		close(g.entered)
		<-g.open
		return []event.Event{messageEvent.To(1, event.Everyone(), sent{Body: "gate"})}, nil
	}
	return g
}

// hold blocks the writer of realm 1 until release is called.
func (n *node) hold() (release func()) {
	g := newGate()
	done := make(chan error, 1)
	go func() { done <- n.Submit(bg, 1, 1, &ports.Intent{Kind: &g.IntentKind}) }()
	<-g.entered
	return func() {
		close(g.open)
		n.must(<-done)
	}
}

// waitFor waits until count intents are queued.
func (n *node) waitFor(count int) {
	n.t.Helper()
	n.untilQueue(func(w *writer) bool { return len(w.queue) == count })
}

func (n *node) untilQueue(is func(*writer) bool) {
	n.t.Helper()
	n.eventually(func() bool {
		n.Kernel.mu.Lock()
		w := n.writers[1]
		n.Kernel.mu.Unlock()
		if w == nil {
			return false
		}
		w.mu.Lock()
		defer w.mu.Unlock()
		return is(w)
	})
}

type answer struct {
	body string
	id   int64
	err  error
}

// together submits the bodies in order while the writer is blocked, and returns the answers.
func (n *node) together(bodies ...string) map[string]answer {
	n.t.Helper()
	release := n.hold()
	answers := make(chan answer, len(bodies))
	for i, b := range bodies {
		go func() {
			id, err := n.send(bg, 1, user.ID(1), b)
			answers <- answer{b, id, err}
		}()
		n.waitFor(i + 1)
	}
	before := n.trips.Load()
	release()
	out := map[string]answer{}
	for range bodies {
		a := <-answers
		out[a.body] = a
	}
	n.t.Logf("%d intents: %d round trips, including the gate's", len(bodies), n.trips.Load()-before)
	return out
}

func (n *node) bodies() []string {
	var out []string
	for _, e := range n.wholeLog(1) {
		if _, b, ok := strings.Cut(string(e.Payload), `"body":"`); ok && e.Ref != 0 {
			out = append(out, strings.TrimSuffix(b, `"}`))
		}
	}
	return out
}

// Arrival, log entries and IDs have the same order, and a batch of any size needs only a few statements.
func TestBatch(t *testing.T) {
	n := newCluster(t).node()
	n.must(n.put(bg, 1, 1, named("ann")))
	var bodies []string
	for i := range 100 {
		bodies = append(bodies, fmt.Sprint("m", i))
	}
	release := n.hold()
	answers := make(chan answer, len(bodies))
	for i, b := range bodies {
		go func() {
			id, err := n.send(bg, 1, 1, b)
			answers <- answer{b, id, err}
		}()
		n.waitFor(i + 1)
	}
	before := n.trips.Load()
	release()
	for range bodies {
		if a := <-answers; a.err != nil {
			t.Fatal(a.err)
		}
	}
	// One round trip is for the gate's commit. The others are: begin with lock and head; INSERT of the messages; INSERT of
	// the log with COMMIT.
	// COMMIT.
	if trips := n.trips.Load() - before; trips > 1+3 {
		t.Errorf("%d round trips for a batch of 100", trips)
	}
	if got := n.bodies(); strings.Join(got, " ") != strings.Join(bodies, " ") {
		t.Errorf("log: %v", got)
	}
	last := int64(0)
	for _, e := range n.wholeLog(1) {
		if e.Ref != 0 && e.Ref <= last {
			t.Errorf("message %d after %d", e.Ref, last)
		}
		last = max(last, e.Ref)
	}
}

func TestFailingIntentIsIsolated(t *testing.T) {
	n := newCluster(t).node()
	n.must(n.put(bg, 1, 1, named("ann")))
	var bodies []string
	for i := range 20 {
		bodies = append(bodies, fmt.Sprint("m", i))
	}
	bodies[3], bodies[13] = "poison a", "poison b"
	got := n.together(bodies...)
	for b, a := range got {
		if strings.HasPrefix(b, "poison") != (a.err != nil) || a.err != nil && !errors.Is(a.err, errPoison) {
			t.Errorf("%s: %v", b, a.err)
		}
	}
	var want []string
	for _, b := range bodies {
		if !strings.HasPrefix(b, "poison") {
			want = append(want, b)
		}
	}
	if log := n.bodies(); strings.Join(log, " ") != strings.Join(want, " ") {
		t.Errorf("log: %v", log)
	}
}

func TestWriterSurvivesPanic(t *testing.T) {
	n := newCluster(t).node()
	n.must(n.put(bg, 1, 1, named("ann")))
	bad := &ports.IntentKind{Name: "bad", Write: func(context.Context, *directory.View, event.Seq,
		[]*ports.Intent) ([]event.Event, error) {
		panic("oh")
	}}
	if err := n.Submit(bg, 1, 1, &ports.Intent{Kind: bad}); err == nil || !strings.Contains(err.Error(), "oh") {
		t.Fatalf("got %v", err)
	}
	if _, err := n.send(bg, 1, 1, "still here"); err != nil {
		t.Fatal(err)
	}
}

func TestRefusedIntentsLeaveTheBatch(t *testing.T) {
	n := newCluster(t).node()
	n.must(n.put(bg, 1, 1, named("ann")))
	n.must(n.put(bg, 1, 2, func(u *user.User) { u.Active = false }))
	release := n.hold()
	errsOf := make(chan error, 3)
	for i, by := range []user.ID{1, 2, 1} {
		go func() { _, err := n.send(bg, 1, by, "x"); errsOf <- err }()
		n.waitFor(i + 1)
	}
	release()
	refused := 0
	for range 3 {
		if err := <-errsOf; errs.Is(err, errs.BadRequest) {
			refused++
		} else if err != nil {
			t.Error(err)
		}
	}
	if refused != 1 || len(n.bodies()) != 2 {
		t.Errorf("%d refused, log %v", refused, n.bodies())
	}
	head := len(n.wholeLog(1))
	if _, err := n.send(bg, 1, 2, "alone"); !errs.Is(err, errs.BadRequest) || len(n.wholeLog(1)) != head {
		t.Errorf("alone: %v", err)
	}
}

func TestCancelledBeforeTheBatch(t *testing.T) {
	n := newCluster(t).node()
	n.must(n.put(bg, 1, 1, named("ann")))
	release := n.hold()
	ctx, cancel := context.WithCancel(bg)
	gone, stays := make(chan error, 1), make(chan error, 1)
	go func() { _, err := n.send(ctx, 1, 1, "gone"); gone <- err }()
	n.waitFor(1)
	go func() { _, err := n.send(bg, 1, 1, "stays"); stays <- err }()
	n.waitFor(2)
	cancel()
	if err := <-gone; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	release()
	n.must(<-stays)
	if got := n.bodies(); len(got) != 1 || got[0] != "stays" {
		t.Errorf("log: %v", got)
	}
}

// A client that disconnects while its batch is being written affects neither its own intent nor the others.
func TestCancelledDuringTheBatch(t *testing.T) {
	n := newCluster(t).node()
	n.must(n.put(bg, 1, 1, named("ann")))
	g := newGate()
	ctx, cancel := context.WithCancel(bg)
	done := make(chan error, 1)
	go func() { done <- n.Submit(ctx, 1, 1, &ports.Intent{Kind: &g.IntentKind}) }()
	<-g.entered
	cancel()
	close(g.open)
	if err := <-done; err != nil {
		t.Errorf("got %v", err)
	}
	if log := n.wholeLog(1); len(log) != 2 {
		t.Errorf("%d entries", len(log))
	}
}

func TestBackPressure(t *testing.T) {
	n := newCluster(t).node()
	n.must(n.put(bg, 1, 1, named("ann")))
	release := n.hold()
	var wg sync.WaitGroup
	wg.Go(func() { n.ok(n.sendSized(20 << 20)) })
	n.waitFor(1)
	if err := n.sendSized(13 << 20); !errs.Is(err, errs.Unavailable) {
		t.Errorf("too many bytes: %v", err)
	}
	n.clock.advance(30 * time.Second) // however long the first ones wait, their own deadlines decide
	for range maxWaiting - 1 {
		wg.Go(func() { n.ok(n.sendSized(1)) })
	}
	n.waitFor(maxWaiting)
	if _, err := n.send(bg, 1, 1, "x"); !errs.Is(err, errs.Unavailable) {
		t.Errorf("too many: %v", err)
	}
	n.clock.advance(-30 * time.Second)
	release()
	wg.Wait()
	if got := len(n.bodies()); got != maxWaiting {
		t.Errorf("%d written", got)
	}
}

func (n *node) ok(err error) {
	if err != nil {
		n.t.Error(err)
	}
}

func (n *node) sendSized(size int) error {
	return n.Submit(bg, 1, 1, &ports.Intent{Kind: &n.sends, Value: &messageRow{RealmID: 1, Sender: 1, Body: "s"},
		Size: size})
}

func TestStopWritesQueue(t *testing.T) {
	n := newCluster(t).node()
	n.must(n.put(bg, 1, 1, named("ann")))
	release := n.hold()
	first := make(chan error, 1)
	go func() { _, err := n.send(bg, 1, 1, "waits"); first <- err }()
	n.waitFor(1)
	stopped := make(chan error, 1)
	go func() { stopped <- n.Stop(bg) }()
	for { // refused as soon as the stop has begun
		ctx, cancel := context.WithTimeout(bg, time.Millisecond)
		_, err := n.send(ctx, 1, 1, "late")
		cancel()
		if errs.Is(err, errs.Unavailable) {
			break
		}
	}
	release()
	n.must(<-first)
	n.must(<-stopped)
	if got := n.bodies(); got[0] != "waits" {
		t.Errorf("log: %v", got)
	}
}
