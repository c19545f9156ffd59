package fiberhttp

import (
	"context"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/stoachat/stoa/app/kittest/testrun"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/modules/kit"
)

// queue is the event queue that polls wait for in these tests.
type queue struct {
	mu    sync.Mutex
	wakes []func()
	held  chan struct{} // receives one value per poll that has begun to wait
	gone  chan struct{}
	err   error

	events string // "" for none
	before func() // runs before the response is returned, if set
}

func newQueue() *queue {
	return &queue{held: make(chan struct{}, 1000), gone: make(chan struct{}, 1000)}
}

func (q *queue) poll(context.Context, kit.Actor, kit.None) (*kit.Wait, error) {
	return &kit.Wait{
		Notify: func(ready func()) {
			q.mu.Lock()
			q.wakes = append(q.wakes, ready)
			q.mu.Unlock()
			q.held <- struct{}{}
		},
		Result: func(context.Context) (any, error) {
			if q.before != nil {
				q.before()
			}
			if q.events != "" {
				return map[string]any{"events": q.events}, q.err
			}
			return map[string]any{"events": []int{}}, q.err
		},
		Cancel: func() { q.gone <- struct{}{} },
	}, nil
}

func (q *queue) wake() {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, ready := range q.wakes {
		ready()
		ready() // calling it twice is harmless
	}
	q.wakes = nil
}

const getEvents = "GET /api/v1/events HTTP/1.1\r\nHost: x\r\n\r\n"

// inBothForms runs a test with blocking polls and, where supported, with parked ones.
func inBothForms(t *testing.T, test func(t *testing.T, serve func([]kit.Endpoint, ...option) *site)) {
	t.Helper()
	for name, parks := range map[string]bool{"plain": false, "parked": canPark} {
		t.Run(name, func(t *testing.T) {
			test(t, func(rows []kit.Endpoint, opts ...option) *site {
				s := serve(t, rows, opts...)
				s.server.polls.parks = parks
				return s
			})
		})
	}
}

// parkedNow returns the number of parked polls.
func (s *site) parkedNow() (n int) {
	a := s.server.polls
	a.mu.Lock()
	defer a.mu.Unlock()
	for p := range a.held {
		if p.parked != nil {
			n++
		}
	}
	return n
}

func TestPollIsWoken(t *testing.T) { inBothForms(t, testPollIsWoken) }

func testPollIsWoken(t *testing.T, serve func([]kit.Endpoint, ...option) *site) {
	q := newQueue()
	s := serve([]kit.Endpoint{kit.GET("/events", kit.Anyone, q.poll, ""), kit.GET("/open", kit.Anyone, whoami, "")},
		unlimited)
	c, r := s.dial()
	for range 3 { // the connection is kept alive
		send(t, c, getEvents)
		testrun.Receive(t, q.held, "held poll")
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
	testrun.Receive(t, q.held, "held poll")
	q.wake()
	res, err := http.ReadResponse(r, nil)
	if err != nil || res.StatusCode != 400 {
		t.Fatalf("a queue that ended: %v %v", res, err)
	}
	if len(q.gone) > 0 {
		t.Error("a connected client was reported as disconnected")
	}
}

func TestStopAnswersHeldPolls(t *testing.T) { inBothForms(t, testStopAnswersHeldPolls) }

func testStopAnswersHeldPolls(t *testing.T, serve func([]kit.Endpoint, ...option) *site) {
	q := newQueue()
	s := serve([]kit.Endpoint{kit.GET("/events", kit.Anyone, q.poll, "")}, unlimited)
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
		testrun.Receive(t, q.held, "held poll")
	}
	ctx, cancel := context.WithTimeout(t.Context(), testrun.Patience) // nothing else ends the polls
	defer cancel()
	if err := s.server.Stop(ctx); err != nil {
		t.Fatal(err)
	}
	for range n {
		if got := <-answers; !strings.HasPrefix(got, "HTTP/1.1 200 ") || !strings.Contains(got, `"events":[]`) ||
			!strings.Contains(got, "Connection: close") {
			t.Fatalf("a held poll ended with %q", got)
		}
	}
	if len(q.gone) > 0 {
		t.Error("Gone was called for clients that were answered")
	}
}

func TestPollWokenAtOnce(t *testing.T) { inBothForms(t, testPollWokenAtOnce) }

func testPollWokenAtOnce(t *testing.T, serve func([]kit.Endpoint, ...option) *site) {
	at := func(context.Context, kit.Actor, kit.None) (any, error) {
		return &kit.Wait{Notify: func(ready func()) { ready() },
			Result: func(context.Context) (any, error) { return kit.None{}, nil }}, nil
	}
	s := serve([]kit.Endpoint{kit.GET("/events", kit.Anyone, at, "")}, unlimited)
	s.is(s.do("GET /api/v1/events", callOptions{}), 200, `{"result":"success","msg":""}`)
}
