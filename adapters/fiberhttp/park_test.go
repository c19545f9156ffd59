package fiberhttp

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stoachat/stoa/app/kittest/testrun"
	"github.com/stoachat/stoa/modules/kit"
)

// Tests of the traps of parked polls.

func parking(t *testing.T, q *queue, opts ...option) *site {
	t.Helper()
	if !canPark {
		t.Skip("this system does not support parked polls")
	}
	return serve(t, []kit.Endpoint{kit.GET("/events", kit.Anyone, q.poll, ""), kit.GET("/open", kit.Anyone, whoami, "")},
		append(opts, unlimited)...)
}

// Trap: if a returned connection is served with its old reader, which meanwhile belongs to another connection, it reads
// other clients' requests. In this test, many clients poll again immediately, many times. Each must get the responses
// to its own requests, and nothing may leak.
func TestBurstsOfPolls(t *testing.T) {
	q := newQueue()
	s := parking(t, q)
	const n = 200
	before := runtime.NumGoroutine()
	conns, readers := make([]net.Conn, n), make([]*bufio.Reader, n)
	for i := range conns {
		conns[i], readers[i] = s.dial()
	}
	const rounds = 20
	for range rounds {
		for _, c := range conns {
			send(t, c, getEvents)
		}
		for range n {
			testrun.Receive(t, q.held, "held poll")
		}
		q.wake()
		for _, r := range readers {
			res, body := readResponse(t, r, "GET")
			if res.StatusCode != 200 || body != `{"result":"success","msg":"","events":[]}` {
				t.Fatalf("%d %s", res.StatusCode, body)
			}
		}
	}
	if len(q.held) > 0 || len(q.gone) > 0 || strings.Count(s.log.String(), "status=200") != n*rounds {
		t.Errorf("%d more polls, %d disconnected, log of %d", len(q.held), len(q.gone),
			strings.Count(s.log.String(), "status=200"))
	}
	for _, c := range conns {
		send(t, c, getEvents)
	}
	testrun.Await(t, "parked without goroutines", func() bool {
		return s.parkedNow() == n && runtime.NumGoroutine() < before+20
	})
	for _, c := range conns {
		_ = c.Close()
	}
	for range n {
		testrun.Receive(t, q.gone, "call of Gone")
	}
}

// Trap: slow clients must not block the responses to others. In this test, there are more slow clients than workers,
// and none of them reads.
func TestSlowClientsBlockNoOthers(t *testing.T) {
	q := newQueue()
	q.events = strings.Repeat("x", 4<<20)
	s := parking(t, q)
	for range maxPollWorkers + 4 {
		c, _ := s.dial()
		if err := c.(*net.TCPConn).SetReadBuffer(4096); err != nil {
			t.Fatal(err)
		}
		send(t, c, getEvents)
	}
	for range maxPollWorkers + 4 {
		testrun.Receive(t, q.held, "held poll")
	}
	q.wake()
	c, r := s.dial()
	if err := c.SetReadDeadline(time.Now().Add(testrun.Patience)); err != nil { // far less than a write may take
		t.Fatal(err)
	}
	for range 3 {
		send(t, c, getEvents)
		testrun.Receive(t, q.held, "held poll")
		q.wake()
		if res, body := readResponse(t, r, "GET"); res.StatusCode != 200 || len(body) < 4<<20 { // sent in pieces
			t.Fatalf("%d, %d bytes", res.StatusCode, len(body))
		}
	}
	// The server would wait until the other clients have read everything, so they disconnect.
}

// Trap: Shutdown ignores parked polls and returns before they are answered.
func TestStopWaitsForParkedPolls(t *testing.T) {
	q := newQueue()
	gate := make(chan struct{})
	var answered atomic.Int32
	q.before = func() {
		<-gate
		answered.Add(1)
	}
	s := parking(t, q)
	const n = 100
	for range n {
		c, _ := s.dial()
		send(t, c, getEvents)
	}
	testrun.Await(t, "parked", func() bool { return s.parkedNow() == n })
	stopped := make(chan error, 1)
	go func() { stopped <- s.server.Stop(context.Background()) }()
	testrun.Await(t, "closed to new clients", func() bool {
		c, err := net.Dial("tcp", s.addr)
		if err == nil {
			_ = c.Close()
		}
		return err != nil
	})
	select {
	case <-stopped:
		t.Fatal("Stop returned with unanswered polls")
	default:
	}
	close(gate)
	if err := <-stopped; err != nil || answered.Load() != n {
		t.Errorf("%v; %d polls were answered", err, answered.Load())
	}
}

// Trap: fasthttp considers a returned connection new, and its Shutdown waits five seconds for new connections.
func TestStopAfterAnswers(t *testing.T) {
	stops := func() error {
		q := newQueue()
		s := parking(t, q)
		for range 20 {
			c, r := s.dial()
			send(t, c, getEvents)
			testrun.Receive(t, q.held, "held poll")
			testrun.Await(t, "parked", func() bool { return s.parkedNow() == 1 })
			q.wake()
			readResponse(t, r, "GET")
		}
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		return s.server.Stop(ctx)
	}
	err := stops()
	for range 4 { // once may have taken long because the machine is busy
		if err != nil {
			err = stops()
		}
	}
	if err != nil {
		t.Error(err)
	}
}

// If polls arrive, are woken and end while the server stops, each is answered or its connection is closed, and Stop
// returns.
func TestStopAmidPolls(t *testing.T) {
	q := newQueue()
	s := parking(t, q)
	ended := make(chan struct{})
	const n = 50
	for range n {
		c, r := s.dial()
		go func() {
			defer func() { ended <- struct{}{} }()
			for {
				if _, err := fmt.Fprint(c, getEvents); err != nil {
					return
				}
				res, err := http.ReadResponse(r, nil)
				if err != nil {
					return
				}
				_ = res.Body.Close()
			}
		}()
	}
	for range 1000 {
		testrun.Receive(t, q.held, "held poll")
		q.wake()
	}
	stop, cancel := context.WithTimeout(t.Context(), testrun.Patience)
	defer cancel()
	stopped := make(chan error, 1)
	go func() { stopped <- s.server.Stop(stop) }()
	for left := n; left > 0; {
		select {
		case <-q.held: // nothing wakes it any more
		case <-ended:
			left--
		case <-stop.Done():
			t.Fatalf("%d clients are still waiting", left)
		}
	}
	if err := <-stopped; err != nil {
		t.Error(err)
	}
}

// Polls that cannot be parked block: those on connections other than TCP, and those with an unread body.
func TestPollsThatCannotBeParked(t *testing.T) {
	q := newQueue()
	s := parking(t, q)
	pipe, end := net.Pipe()
	served := make(chan error, 1)
	go func() { served <- s.server.app.Server().ServeConn(end) }()
	tcp, _ := s.dial()
	for _, c := range []struct {
		conn    net.Conn
		request string
	}{
		{pipe, getEvents},
		{tcp, "GET /api/v1/events HTTP/1.1\r\nHost: x\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n\r\nhello"},
	} {
		r := bufio.NewReader(c.conn)
		for range 2 {
			send(t, c.conn, c.request)
			testrun.Receive(t, q.held, "held poll")
			testrun.Await(t, "held", func() bool {
				s.server.polls.mu.Lock()
				defer s.server.polls.mu.Unlock()
				for p := range s.server.polls.held {
					return p.woken != nil
				}
				return false
			})
			q.wake()
			if res, _ := readResponse(t, r, "GET"); res.StatusCode != 200 {
				t.Errorf("%s: %d", c.request, res.StatusCode)
			}
		}
	}
	_ = pipe.Close()
	if err := <-served; err != nil && !errors.Is(err, io.ErrClosedPipe) { // before or while it waits for a request
		t.Error(err)
	}
}
