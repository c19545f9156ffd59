package events

import (
	"context"
	"fmt"
	"testing"

	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/ports"
)

// A queue that receives nothing of what happens reads each entry once, however often its client polls.
func TestPollsOfQuietQueue(t *testing.T) {
	w := newFakeKernel(6)
	n := w.start(t, onlyNotes)
	c := n.client(t, 1, registerReq{})
	for range 3 {
		for i := range 100 { // more than are in memory
			w.log(notes(event.To(2), fmt.Sprint(i))...)
		}
		n.reads = 0
		wantTexts(t, c.next())
		if n.reads == 0 {
			t.Fatal("the entries are in memory")
		}
		n.reads = 0
		for range 5 {
			wantTexts(t, c.next())
		}
		if n.reads > 0 {
			t.Errorf("the entries were read %d more times", n.reads)
		}
	}
	w.log(notes(event.To(1), "mine")...)
	wantTexts(t, c.poll(), "mine")
	wantTexts(t, c.next(), "mine")
	wantTexts(t, c.next())
}

// Events that a client requests again, instead of acknowledging them, are charged.
func TestRepeatedEventsAreCharged(t *testing.T) {
	w := newFakeKernel(6)
	n := w.start(t, onlyNotes)
	c := n.client(t, 1, registerReq{})
	charged := 0
	ctx := ports.Metered(t.Context(), func(bytes int) error { charged += bytes; return nil })
	poll := func(ctx context.Context) []seen {
		t.Helper()
		yes := true
		res, err := n.poll(ctx, c.actor, pollReq{QueueID: &c.queue, LastEventID: &c.last, DontBlock: &yes})
		must(t, err)
		return c.read(res)
	}
	wantTexts(t, poll(ctx))
	w.log(notes(event.To(1), "a", "b")...)
	all := poll(ctx)
	wantTexts(t, all, "a", "b")
	if charged != 0 {
		t.Errorf("charged %d bytes for new events", charged)
	}
	wantTexts(t, poll(ctx), "a", "b")
	if charged < 20 {
		t.Errorf("charged %d bytes for events sent again", charged)
	}
	charged = 0
	c.acknowledge(all[:1])
	wantTexts(t, poll(ctx), "b")
	if charged < 20 {
		t.Errorf("charged %d bytes for one event sent again", charged)
	}
	charged = 0
	c.acknowledge(all)
	wantTexts(t, poll(ctx))
	w.log(notes(event.To(1), "c")...)
	wantTexts(t, poll(ctx), "c")
	if charged != 0 {
		t.Errorf("charged %d bytes for new events", charged)
	}
}
