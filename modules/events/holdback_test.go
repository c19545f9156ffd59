package events

import (
	"fmt"
	"testing"
	"time"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
)

// timers fire when the test says so.
type timers struct {
	started int
	pending []func()
}

// holdingBack starts a node that holds back the responses to busy queues.
func (w *fakeKernel) holdingBack(t testing.TB, holdBack time.Duration) (*node, *timers) {
	t.Helper()
	n, all := w.start(t, onlyNotes), &timers{}
	n.cfg.HoldBack = holdBack
	n.after = func(_ time.Duration, f func()) {
		all.started++
		all.pending = append(all.pending, f)
	}
	return n, all
}

func (a *timers) fire() {
	now := a.pending
	a.pending = nil
	for _, f := range now {
		f()
	}
}

func TestBurstIsOneResponse(t *testing.T) {
	w := newFakeKernel(6)
	n, timer := w.holdingBack(t, 10*time.Millisecond)
	c := n.client(t, 1, registerReq{})
	h := c.hold()
	w.log(notes(event.To(1), "at once")...)
	wantTexts(t, h.answer(), "at once")
	if timer.started != 0 {
		t.Error("a quiet queue started a timer")
	}
	waits := func(h *heldPoll) {
		t.Helper()
		if h.ready.Load() != 0 || timer.started != 1 || len(timer.pending) != 1 {
			t.Fatalf("ready %d times, %d timers", h.ready.Load(), timer.started)
		}
		timer.started = 0
	}
	// The poll was held when the events came.
	h = c.hold()
	w.log(notes(event.To(1), "a")...)
	w.log(notes(event.To(1), "b", "c")...)
	waits(h)
	timer.fire()
	wantTexts(t, h.answer(), "a", "b", "c")
	// The events came before the poll.
	w.log(notes(event.To(1), "d")...)
	h = c.hold()
	w.log(notes(event.To(1), "e")...)
	waits(h)
	timer.fire()
	h.expectAnswer("d", "e")
	// Nothing was for this queue: the poll is held again, and answered when there is something.
	w.log(notes(event.To(2), "other")...)
	h = c.hold()
	waits(h)
	timer.fire()
	h.expectHeld()
	w.log(notes(event.To(1), "f")...)
	waits(h)
	timer.fire()
	wantTexts(t, h.answer(), "f")
	// Clients that do not wait, and those of a server that stops, receive what there is.
	w.log(notes(event.To(1), "g")...)
	wantTexts(t, c.next(), "g")
	w.log(notes(event.To(1), "h")...)
	h = c.hold()
	waits(h)
	res, err := h.wait.Result(t.Context())
	must(t, err)
	h.c.acknowledge(c.read(res))
	timer.fire()
	// A newer poll takes over.
	h = c.hold()
	w.log(notes(event.To(1), "i")...)
	waits(h)
	newer := c.hold()
	wantTexts(t, h.answer())
	timer.fire()
	newer.expectAnswer("i")
	// On another node, the queue is not known to be busy.
	w.log(notes(event.To(1), "j")...)
	other, _ := w.holdingBack(t, 10*time.Millisecond)
	res, err = c.on(other).pollFrom(c.last, false)
	must(t, err)
	if got := c.read(res); len(got) == 0 || got[0].Text != "j" {
		t.Errorf("on another node: %v", got)
	}
	// After a while, neither is it here.
	timer.started = 0
	c.next()
	w.advance(100 * time.Millisecond)
	h = c.hold()
	w.log(notes(event.To(1), "k")...)
	wantTexts(t, h.answer(), "k")
	// A revoked login ends a poll that is held back.
	h = c.hold()
	w.log(notes(event.To(1), "l")...)
	waits(h)
	w.log(notes(event.Everyone(), "x")...)
	n.existingHub(1).end([]string{c.queue})
	h.refusedOrEmpty()
}

// expectAnswer expects a response to a poll that was woken.
func (h *heldPoll) expectAnswer(want ...string) {
	h.c.t.Helper()
	if h.ready.Load() != 1 {
		h.c.t.Fatal("still waits")
	}
	wantTexts(h.c.t, h.answer(), want...)
}

func (h *heldPoll) refusedOrEmpty() {
	h.c.t.Helper()
	if h.ready.Load() != 1 {
		h.c.t.Fatal("still waits")
	}
	res, err := h.wait.Result(h.c.t.Context())
	if err == nil {
		wantTexts(h.c.t, h.c.read(res))
	} else if !errs.Is(err, errs.BadEventQueue) {
		h.c.t.Fatal(err)
	}
}

// Four windows of a user, whose clients poll again at once, cause no more requests than the default of
// http.rate_limits.polls allows, however many messages others send.
func TestRequestsOfFourWindows(t *testing.T) {
	const windows, limit = 4, 24_000
	for _, c := range []struct {
		perSecond int
		holdBack  time.Duration
		most      int // requests in a minute
	}{
		{100, 0, windows * 6000},
		{100, 10 * time.Millisecond, windows * 3001},
		{1000, 0, windows * 60_000},
		{1000, 10 * time.Millisecond, limit},
		{5, 10 * time.Millisecond, windows * 300},
	} {
		t.Run(fmt.Sprintf("%d messages a second, %v", c.perSecond, c.holdBack), func(t *testing.T) {
			w := newFakeKernel(6)
			n, timer := w.holdingBack(t, c.holdBack)
			clients, held := make([]*client, windows), make([]*heldPoll, windows)
			got, requests := make([]int, windows), 0
			for i := range clients {
				clients[i] = n.client(t, 1, registerReq{})
			}
			var fires time.Time // the timer
			for ms := range 60_000 {
				w.advance(time.Millisecond)
				if ms%(1000/c.perSecond) == 0 {
					w.log(notes(event.To(1), "x")...)
				}
				if len(timer.pending) > 0 && fires.IsZero() {
					fires = w.Now().Add(c.holdBack)
				}
				if !fires.IsZero() && !w.Now().Before(fires) {
					fires = time.Time{}
					timer.fire()
				}
				for i, one := range clients {
					if held[i] != nil && held[i].ready.Load() == 0 {
						continue
					}
					var res any
					var err error
					if h := held[i]; h != nil {
						res, err = h.wait.Result(t.Context())
					} else {
						requests++
						res, err = one.pollFrom(one.last, false)
					}
					must(t, err)
					if wait, ok := res.(*kit.Wait); ok {
						held[i] = &heldPoll{c: one}
						held[i].begin(wait)
						continue
					}
					held[i] = nil
					all := one.read(res)
					one.acknowledge(all)
					got[i] += len(all)
				}
			}
			t.Logf("%d requests in a minute", requests)
			if requests > c.most+windows || c.holdBack == 0 && requests < c.most-windows {
				t.Errorf("%d requests in a minute, want at most %d", requests, c.most)
			}
			for i := range got {
				if want := 60 * c.perSecond; got[i] < want-c.perSecond/20-1 {
					t.Errorf("window %d received %d of %d events", i, got[i], want)
				}
			}
		})
	}
}

// With many busy queues, the sender neither wakes nor examines all of them, and each receives the event.
func TestManyBusyQueues(t *testing.T) {
	const people = 3000
	w := newFakeKernel(people + 6)
	n, timer := w.holdingBack(t, 10*time.Millisecond)
	clients := make([]*client, people)
	for i := range clients {
		clients[i] = n.client(t, user.ID(i+7), registerReq{})
	}
	for _, text := range []string{"first", "second"} {
		held := make([]*heldPoll, people)
		for i, c := range clients {
			held[i] = c.hold()
		}
		w.log(notes(event.Subscribers(1), text)...)
		if h := n.existingHub(1); text == "second" && (len(h.delayed) > maxDelayed || len(h.waking) > 0) {
			t.Errorf("the sender examined %d polls and woke %d", len(h.delayed), len(h.waking))
		}
		timer.fire()
		for left := people; left > 0; {
			before := left
			for i, h := range held {
				if h != nil && h.ready.Load() == 1 {
					wantTexts(t, h.answer(), text)
					held[i] = nil
					left--
				}
			}
			if left == before {
				t.Fatalf("%s: %d polls were not woken", text, left)
			}
		}
	}
}
