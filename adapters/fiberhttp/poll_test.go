package fiberhttp

import (
	"context"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/modules/kit"
)

// queue is what a poll waits for in these tests.
type queue struct {
	mu    sync.Mutex
	wakes []func()
	held  chan struct{} // one per poll that has begun to wait
	gone  chan struct{}
	err   error
}

func newQueue() *queue {
	return &queue{held: make(chan struct{}, 1000), gone: make(chan struct{}, 1000)}
}

func (q *queue) poll(context.Context, kit.Actor, kit.None) (*kit.Wait, error) {
	return &kit.Wait{
		Wake: func(ready func()) {
			q.mu.Lock()
			q.wakes = append(q.wakes, ready)
			q.mu.Unlock()
			q.held <- struct{}{}
		},
		Answer: func(context.Context) (any, error) { return map[string]any{"events": []int{}}, q.err },
		Gone:   func() { q.gone <- struct{}{} },
	}, nil
}

func (q *queue) wake() {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, ready := range q.wakes {
		ready()
		ready() // twice does no harm
	}
	q.wakes = nil
}

const getEvents = "GET /api/v1/events HTTP/1.1\r\nHost: x\r\n\r\n"

func within[T any](t *testing.T, c <-chan T, what string) {
	t.Helper()
	select {
	case <-c:
	case <-time.After(10 * time.Second):
		t.Fatal("no " + what)
	}
}

func TestPollIsWoken(t *testing.T) {
	q := newQueue()
	s := serve(t, []kit.Endpoint{kit.GET("/events", kit.Anyone, q.poll, ""), kit.GET("/open", kit.Anyone, whoami, "")}, unlimited)
	c, r := s.dial()
	for range 3 { // keep-alive goes on
		send(t, c, getEvents)
		within(t, q.held, "held poll")
		q.wake()
		res, err := http.ReadResponse(r, nil)
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(res.Body)
		if err != nil || string(b) != `{"result":"success","msg":"","events":[]}` {
			t.Fatalf("%s %v", b, err)
		}
	}
	q.err = errs.New(errs.BadEventQueue, "Bad event queue ID: q").With("queue_id", "q")
	send(t, c, getEvents)
	within(t, q.held, "held poll")
	q.wake()
	res, err := http.ReadResponse(r, nil)
	if err != nil || res.StatusCode != 400 {
		t.Fatalf("a queue that ended: %v %v", res, err)
	}
	if len(q.gone) > 0 {
		t.Error("a client that stayed was taken for gone")
	}
}

func TestPollOfAClientThatLeft(t *testing.T) {
	if _, ok := any((*watcher)(nil)).(interface{ loop() }); !ok {
		t.Skip("this system notices no hang-ups")
	}
	q := newQueue()
	s := serve(t, []kit.Endpoint{kit.GET("/events", kit.Anyone, q.poll, "")}, unlimited)
	for range 20 {
		c, _ := s.dial()
		send(t, c, getEvents)
		within(t, q.held, "held poll")
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
		within(t, q.gone, "call of Gone")
	}
	q.wake() // too late, and harmless
	s.server.polls.watch.mu.Lock()
	defer s.server.polls.watch.mu.Unlock()
	if n := len(s.server.polls.watch.waits); n > 0 {
		t.Errorf("%d connections are still watched", n)
	}
}

func TestStopAnswersHeldPolls(t *testing.T) {
	q := newQueue()
	s := serve(t, []kit.Endpoint{kit.GET("/events", kit.Anyone, q.poll, "")}, unlimited)
	const n = 500
	answers := make(chan string, n)
	for range n {
		c, r := s.dial()
		send(t, c, getEvents)
		go func() {
			b, _ := io.ReadAll(r)
			answers <- string(b)
		}()
	}
	for range n {
		within(t, q.held, "held poll")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second) // far less than any poll would wait
	defer cancel()
	if err := s.server.Stop(ctx); err != nil {
		t.Fatal(err)
	}
	for range n {
		if got := <-answers; !strings.HasPrefix(got, "HTTP/1.1 200 ") || !strings.Contains(got, `"events":[]`) || !strings.Contains(got, "Connection: close") {
			t.Fatalf("a held poll ended with %q", got)
		}
	}
	if len(q.gone) > 0 {
		t.Error("Gone was called for clients that were answered")
	}
}

func TestPollWokenAtOnce(t *testing.T) {
	at := func(context.Context, kit.Actor, kit.None) (any, error) {
		return &kit.Wait{Wake: func(ready func()) { ready() }, Answer: func(context.Context) (any, error) { return kit.None{}, nil }}, nil
	}
	s := serve(t, []kit.Endpoint{kit.GET("/events", kit.Anyone, at, "")}, unlimited)
	s.is(s.do("GET /api/v1/events", request{}), 200, `{"result":"success","msg":""}`)
}
