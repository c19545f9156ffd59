package events

import (
	"bytes"
	"io"
	"sync"
	"testing"
	"time"

	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
)

const heldPolls = 10_000

// BenchmarkFanOut wakes 10,000 held polls with one message. Each poll responds on its own goroutine, as in the HTTP
// server. The baseline is goroutines that receive from a channel and write the same bytes. ns/send is the time for
// which the sender is blocked.
func BenchmarkFanOut(b *testing.B) {
	w, n := newFakeKernel(heldPolls+6), &counts{}
	send, types := messageEvents(w, n)
	a := w.start(b, types)
	clients := make([]*client, heldPolls)
	for i := range clients {
		clients[i] = a.client(b, user.ID(i+7), registerReq{})
	}
	var answer []byte
	id := int64(0)
	b.Run("queues", func(b *testing.B) {
		for b.Loop() {
			b.StopTimer()
			var all, parked sync.WaitGroup
			for _, c := range clients {
				parked.Add(1)
				all.Go(func() { // the polling goroutine also waits and responds
					res, err := c.pollFrom(c.last, false)
					ready := make(chan struct{})
					wait, ok := res.(*kit.Wait)
					if err != nil || !ok {
						b.Error(res, err)
						close(ready)
					} else {
						wait.Notify(func() { close(ready) })
					}
					parked.Done()
					<-ready
					if res, err = wait.Result(b.Context()); err != nil {
						b.Error(err)
						return
					}
					_, _ = io.Discard.Write(res.(pollRes).Events)
				})
			}
			parked.Wait()
			id++
			b.StartTimer()
			send(id, 1, "hello")
			all.Wait()
			b.StopTimer()
			for _, c := range clients {
				c.last = int64(event.NewID(w.head(), 1))
			}
			answer = bytes.Repeat([]byte("x"), 120)
			b.StartTimer()
		}
	})
	b.Run("bare", func(b *testing.B) {
		for b.Loop() {
			b.StopTimer()
			var all sync.WaitGroup
			ready := make([]chan struct{}, heldPolls)
			for i := range ready {
				ready[i] = make(chan struct{})
				all.Go(func() {
					<-ready[i]
					_, _ = io.Discard.Write(bytes.Clone(answer))
				})
			}
			b.StartTimer()
			for _, r := range ready {
				close(r)
			}
			all.Wait()
		}
	})
	b.Run("sender", func(b *testing.B) {
		var held time.Duration
		// The timer also runs while the polls are prepared. Otherwise, the microseconds of each send would never add up
		// to the benchmark's duration.
		for b.Loop() {
			for _, c := range clients {
				res, err := c.pollFrom(c.last, false)
				must(b, err)
				res.(*kit.Wait).Notify(func() {})
			}
			id++
			begun := time.Now()
			send(id, 1, "hello")
			held += time.Since(begun)
			for _, c := range clients {
				c.last = int64(event.NewID(w.head(), 1))
			}
		}
		b.ReportMetric(float64(held.Nanoseconds())/float64(b.N), "ns/send")
	})
}

// BenchmarkResume resumes a queue after 1,000 entries that are no longer in memory, 100 of which it receives.
func BenchmarkResume(b *testing.B) {
	w := newFakeKernel(6)
	a := w.start(b, onlyNotes)
	c := a.client(b, 1, registerReq{})
	for i := range 1000 {
		to := event.To(2)
		if i%10 == 0 {
			to = event.To(1)
		}
		w.log(notes(to, "x")...)
	}
	for b.Loop() {
		if got := c.poll(); len(got) != 100 {
			b.Fatal(len(got))
		}
	}
}

// BenchmarkRegister registers a queue without sections, to measure the module's own cost.
func BenchmarkRegister(b *testing.B) {
	a := newFakeKernel(6).start(b, nil)
	actor := kit.Actor{Realm: 1, User: 1}
	for b.Loop() {
		_, err := a.register(b.Context(), actor, registerReq{})
		must(b, err)
	}
}
