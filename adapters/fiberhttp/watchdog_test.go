package fiberhttp

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stoachat/stoa/app/kittest/testrun"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

const overLimit = "still running beyond its time limit"

// TestWatchdog checks that requests beyond the time limit are logged while they run: who and which route, and nothing
// that the client has sent. Held polls are not.
func TestWatchdog(t *testing.T) {
	q, begun, proceed := newQueue(), make(chan struct{}), make(chan struct{})
	defer close(proceed)
	block := func() { begun <- struct{}{}; <-proceed }
	s := serve(t, []kit.Endpoint{
		kit.GET("/events", kit.Users, q.poll, ""),
		kit.POST("/rooms/:room", kit.Users, func(context.Context, kit.Actor, struct {
			Room string `json:"room"`
		}) (kit.None, error) {
			block()
			return kit.None{}, nil
		}, ""),
		kit.Mount("/mounted/", kit.Anyone, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { block() }), ""),
	})
	c, _ := s.dial()
	send(t, c, "GET /api/v1/events HTTP/1.1\r\nHost: x\r\nAuthorization: "+basicAuth("olga@example.com", "olga")+
		"\r\n\r\n")
	testrun.Receive(t, q.held, "held poll")
	c, _ = s.dial()
	send(t, c, "POST /api/v1/rooms/secret?key=secret HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\nAuthorization: "+
		basicAuth("alice@example.com", "alice")+"\r\n\r\n")
	testrun.Receive(t, begun, "request")
	c, _ = s.dial()
	send(t, c, "GET /mounted/secret HTTP/1.1\r\nHost: x\r\n\r\n")
	testrun.Receive(t, begun, "mounted request")
	logged := func() []string {
		var out []string
		for line := range strings.Lines(s.log.String()) {
			if strings.Contains(line, overLimit) {
				out = append(out, line)
			}
		}
		return out
	}
	s.pass(Defaults().HandlerTimeout + time.Second)
	testrun.Await(t, "both are reported", func() bool { return len(logged()) == 2 })
	s.pass(time.Second) // not reported again so soon
	s.pass(Defaults().HandlerTimeout)
	testrun.Await(t, "both are reported again", func() bool { return len(logged()) >= 4 })
	all := strings.Join(logged(), "")
	for _, want := range []string{
		fmt.Sprintf("method=POST route=/api/v1/rooms/:room realm=1 running=1m1s limit=1m0s user=%d", alice),
		"method=GET route=/mounted/ realm=0 running=1m1s limit=1m0s",
	} {
		if !strings.Contains(all, want) {
			t.Errorf("%q is missing in\n%s", want, all)
		}
	}
	if strings.Contains(all, "secret") || strings.Contains(all, "events") || len(logged()) != 4 {
		t.Errorf("too much is logged:\n%s", all)
	}
}

// TestIdleStreams checks that requests that stream a file end when they make no progress, although they have no
// deadline.
func TestIdleStreams(t *testing.T) {
	begun, more := make(chan struct{}), make(chan func(context.Context))
	s := serve(t, []kit.Endpoint{
		kit.POST("/attach", kit.Users, func(ctx context.Context, _ kit.Actor, in attached) (kit.None, error) {
			if _, err := io.Copy(io.Discard, in.File); err != nil {
				return kit.None{}, err
			}
			begun <- struct{}{}
			for {
				select {
				case work := <-more:
					work(ctx)
				case <-ctx.Done():
					return kit.None{}, ctx.Err()
				}
			}
		}, "").Upload(large),
	})
	body, contentType := multi("@x", "content")
	status := make(chan int)
	go func() {
		status <- s.do("POST /api/v1/attach", callOptions{as: "alice", body: body,
			header: map[string]string{"Content-Type": contentType}}).status
	}()
	testrun.Receive(t, begun, "upload")
	for range 3 {
		seen := make(chan struct{})
		more <- func(ctx context.Context) { ports.Progressed(ctx); close(seen) }
		testrun.Receive(t, seen, "progress")
		s.pass(Defaults().HandlerTimeout * 2 / 3)
		s.server.watchdog.overdue(s.Now())
	}
	select {
	case got := <-status:
		t.Fatalf("an upload that makes progress ended with %d", got)
	default:
	}
	s.pass(Defaults().HandlerTimeout * 2)
	if got := testrun.Receive(t, status, "response"); got != http.StatusServiceUnavailable {
		t.Error(got)
	}
}

// TestQueuedUploads checks that an upload may wait for its user's other uploads for longer than the time limit.
func TestQueuedUploads(t *testing.T) {
	begun, proceed := make(chan struct{}, maxUploads+1), make(chan struct{})
	s := serve(t, []kit.Endpoint{
		kit.POST("/attach", kit.Users, func(ctx context.Context, _ kit.Actor, in attached) (kit.None, error) {
			begun <- struct{}{}
			select {
			case <-proceed:
				_, err := io.Copy(io.Discard, in.File)
				return kit.None{}, err
			case <-ctx.Done():
				return kit.None{}, ctx.Err()
			}
		}, "").Upload(large),
	})
	body, contentType := multi("@x", strings.Repeat("content", 10_000))
	status := make(chan int, maxUploads+1)
	for range maxUploads + 1 {
		go func() {
			status <- s.do("POST /api/v1/attach", callOptions{as: "alice", body: body,
				header: map[string]string{"Content-Type": contentType}}).status
		}()
	}
	for range maxUploads {
		testrun.Receive(t, begun, "upload")
	}
	w := &s.server.watchdog
	testrun.Await(t, "one upload waits", func() bool {
		w.mu.Lock()
		defer w.mu.Unlock()
		for r := w.first; r != nil; r = r.next {
			if r.queued {
				return true
			}
		}
		return false
	})
	s.pass(Defaults().HandlerTimeout)
	w.overdue(s.Now()) // sees what has arrived
	s.pass(Defaults().HandlerTimeout * 2)
	w.overdue(s.Now())
	testrun.Receive(t, begun, "last upload")
	close(proceed)
	var ended int
	for range maxUploads + 1 {
		if testrun.Receive(t, status, "response") == http.StatusOK {
			ended++
		}
	}
	if ended != 1 { // the others were stopped, because they made no progress
		t.Errorf("%d uploads succeeded", ended)
	}
}

// A server whose polls are stuck is not alive.
func TestAlive(t *testing.T) {
	s := serve(t, nil)
	polls := s.server.polls
	polls.mu.Lock()
	s.pass(stuckAfter - time.Second)
	if !s.server.Alive() {
		t.Error("a server that was slow for a moment counts as stuck")
	}
	s.pass(time.Second)
	if s.server.Alive() {
		t.Error("a server that is stuck counts as alive")
	}
	polls.mu.Unlock()
	testrun.Await(t, "the loop turns again", s.server.Alive)
}
