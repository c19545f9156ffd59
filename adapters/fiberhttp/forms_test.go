package fiberhttp

import (
	"bufio"
	"context"
	"io"
	"maps"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stoachat/stoa/app/kittest/testrun"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/modules/kit"
)

// Tests that apply to both parked and blocking polls.

// readResponse reads a response.
func readResponse(t *testing.T, r *bufio.Reader, method string) (*http.Response, string) {
	t.Helper()
	res, err := http.ReadResponse(r, &http.Request{Method: method})
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"Date", "X-Request-Id"} {
		if res.Header.Get(name) == "" {
			t.Errorf("no %s", name)
		}
	}
	return res, string(b)
}

// Clients cannot tell a held poll, parked or blocking, from one that is answered immediately.
func TestHeldResponsesAreOrdinary(t *testing.T) {
	const alice = "Authorization: Basic YWxpY2VAZXhhbXBsZS5jb206YWxpY2U=\r\n"
	for _, c := range []struct {
		name, method, request string
		refused               error
		status                int
		connection            string
	}{
		{"1.1", "GET", "GET /api/v1/%s?zz=1 HTTP/1.1\r\nHost: x\r\n" + alice + "\r\n", nil, 200, ""},
		{"1.1 close", "GET", "GET /api/v1/%s HTTP/1.1\r\nHost: x\r\nConnection: close\r\n" + alice + "\r\n", nil, 200,
			"close"},
		{"1.0", "GET", "GET /api/v1/%s HTTP/1.0\r\nHost: x\r\n" + alice + "\r\n", nil, 200, "close"},
		{"1.0 keep-alive", "GET", "GET /api/v1/%s HTTP/1.0\r\nHost: x\r\nConnection: keep-alive\r\n" + alice + "\r\n", nil,
			200, "keep-alive"},
		{"HEAD", "HEAD", "HEAD /api/v1/%s HTTP/1.1\r\nHost: x\r\n" + alice + "\r\n", nil, 200, ""},
		{"browser", "GET", "GET /json/%s HTTP/1.1\r\nHost: x\r\nCookie: sessionid=alice\r\n\r\n", nil, 200, ""},
		{"with a body", "GET", "GET /api/v1/%s HTTP/1.1\r\nHost: x\r\nContent-Type: " +
			"application/x-www-form-urlencoded\r\nContent-Length: 4\r\n" + alice + "\r\nzz=1", nil, 200, ""},
		{"refused", "GET", "GET /api/v1/%s HTTP/1.1\r\nHost: x\r\n" + alice + "\r\n",
			errs.New(errs.BadEventQueue, "Bad event queue ID: q").With("queue_id", "q"), 400, ""},
		{"broken", "GET", "GET /api/v1/%s HTTP/1.1\r\nHost: x\r\n" + alice + "\r\n", io.ErrUnexpectedEOF, 500, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			inBothForms(t, func(t *testing.T, serve func([]kit.Endpoint, ...option) *site) {
				q := newQueue()
				q.err = c.refused
				at := func(ctx context.Context, a kit.Actor, n kit.None) (any, error) {
					return map[string]any{"events": []int{}}, q.err
				}
				run := func() *site {
					return serve([]kit.Endpoint{kit.GET("/events", kit.Users, q.poll, ""), kit.GET("/at", kit.Users, at, "")},
						withSessions)
				}
				ask := func(s *site, path string) (*http.Response, string, net.Conn, *bufio.Reader) {
					conn, r := s.dial()
					send(t, conn, strings.Replace(c.request, "%s", path, 1))
					if path == "events" {
						testrun.Receive(t, q.held, "held poll")
						q.wake()
					}
					res, body := readResponse(t, r, c.method)
					return res, body, conn, r
				}
				want, wantBody, _, _ := ask(run(), "at")
				s := run()
				got, body, conn, r := ask(s, "events")
				if got.StatusCode != c.status || got.Header.Get("X-Ratelimit-Remaining") == "" ||
					got.Header.Get("Content-Type") != contentJSON ||
					got.ContentLength <= 0 || (c.method == "HEAD") != (body == "") {
					t.Errorf("%+v %q", got, body)
				}
				if got.Status != want.Status || got.Proto != want.Proto || got.ContentLength != want.ContentLength ||
					body != wantBody ||
					!maps.EqualFunc(testrun.Comparable(got.Header), testrun.Comparable(want.Header), slices.Equal) {
					t.Errorf("held      %+v %q\nimmediate %+v %q", got, body, want, wantBody)
				}
				if said := got.Header.Get("Connection"); said != c.connection && (!got.Close || c.connection != "close") {
					t.Errorf("Connection: %q", said)
				}
				if c.connection == "close" {
					if rest := rest(t, r); rest != "" {
						t.Errorf("then %q", rest)
					}
					return
				}
				send(t, conn, last)
				if rest := rest(t, r); !strings.HasPrefix(rest, "HTTP/1.1 404") {
					t.Errorf("then %q", rest)
				}
			})
		})
	}
}

// Trap: the log line must describe the response, not the handler's return while the poll is held.
func TestHeldPollIsLoggedWhenAnswered(t *testing.T) { inBothForms(t, testHeldPollIsLogged) }

func testHeldPollIsLogged(t *testing.T, serve func([]kit.Endpoint, ...option) *site) {
	q := newQueue()
	s := serve([]kit.Endpoint{kit.GET("/events", kit.Users, q.poll, ""), kit.GET("/open", kit.Anyone, whoami, "")},
		unlimited)
	c, r := s.dial()
	ask := func() {
		send(t, c, "GET /api/v1/events HTTP/1.1\r\nHost: x\r\nAuthorization: "+basicAuth("alice@example.com", "alice")+
			"\r\n\r\n")
		testrun.Receive(t, q.held, "held poll")
		s.pass(90 * time.Second)
		s.do("GET /api/v1/open", callOptions{}) // logged as well, so that a premature line would precede it
	}
	ask()
	if got := s.log.String(); strings.Contains(got, "/events") {
		t.Errorf("logged before the answer: %s", got)
	}
	q.err = errs.New(errs.BadEventQueue, "gone")
	q.wake()
	res, body := readResponse(t, r, "GET")
	if want := " method=GET route=/api/v1/events path=/api/v1/events remote=127.0.0.1 status=400 took_ms=90000 bytes=59 " +
		"realm=1 user=10\n"; res.StatusCode != 400 || strings.Count(s.log.String(), want) != 1 {
		t.Errorf("%d bytes; the log\n%swants%s", len(body), s.log.String(), want)
	}
	ask()
	_ = c.Close()
	if canPark {
		testrun.Receive(t, q.gone, "call of Gone")
		testrun.Await(t, "logged", func() bool {
			return strings.Contains(s.log.String(), "path=/api/v1/events remote=127.0.0.1 status=499 took_ms=90000 bytes=0")
		})
	}
}

// Trap: requests that follow the poll have been read together with it.
func TestPipelinedBehindAPoll(t *testing.T) { inBothForms(t, testPipelined) }

func testPipelined(t *testing.T, serve func([]kit.Endpoint, ...option) *site) {
	q := newQueue()
	s := serve([]kit.Endpoint{kit.GET("/events", kit.Anyone, q.poll, ""), kit.GET("/open", kit.Anyone, whoami, "")},
		unlimited)
	open := strings.Repeat("GET /api/v1/open HTTP/1.1\r\nHost: x\r\n\r\n", 500) // more than one buffer
	c, r := s.dial()
	go func() { _, _ = io.WriteString(c, getEvents+getEvents+open+getEvents+last) }()
	poll := func() {
		t.Helper()
		testrun.Receive(t, q.held, "held poll")
		q.wake()
		if res, body := readResponse(t, r, "GET"); res.StatusCode != 200 || !strings.Contains(body, "events") {
			t.Fatalf("%d %s", res.StatusCode, body)
		}
	}
	poll()
	poll()
	for range 500 {
		if res, body := readResponse(t, r, "GET"); res.StatusCode != 200 || !strings.Contains(body, "realm") {
			t.Fatalf("%d %s", res.StatusCode, body)
		}
	}
	poll()
	if got := rest(t, r); !strings.HasPrefix(got, "HTTP/1.1 404") {
		t.Errorf("%q", got)
	}
}

// A poll that is woken without a response is held again, and wake-ups of earlier waits do not wake it.
func TestPollIsHeldAgain(t *testing.T) { inBothForms(t, testPollIsHeldAgain) }

func testPollIsHeldAgain(t *testing.T, serve func([]kit.Endpoint, ...option) *site) {
	var answered atomic.Int32
	wakes := make(chan func(), 10)
	gone := make(chan struct{}, 1)
	var wait func(n int) *kit.Wait
	wait = func(n int) *kit.Wait {
		return &kit.Wait{
			Notify: func(ready func()) { wakes <- ready },
			Result: func(context.Context) (any, error) {
				if answered.Add(1); n > 0 {
					return wait(n - 1), nil
				}
				return kit.None{}, nil
			},
			Cancel: func() { gone <- struct{}{} },
		}
	}
	s := serve([]kit.Endpoint{kit.GET("/events", kit.Anyone,
		func(context.Context, kit.Actor, kit.None) (*kit.Wait, error) { return wait(2), nil }, "")}, unlimited)
	c, r := s.dial()
	send(t, c, getEvents)
	first := <-wakes
	first()
	second := <-wakes
	first() // too late
	s.server.polls.mu.Lock()
	for p := range s.server.polls.held {
		if !p.waiting {
			t.Error("woken by an earlier wait")
		}
	}
	s.server.polls.mu.Unlock()
	second()
	third := <-wakes
	second()
	third()
	if res, body := readResponse(t, r, "GET"); res.StatusCode != 200 || body != `{"result":"success","msg":""}` ||
		answered.Load() != 3 {
		t.Errorf("%d %s after %d answers", res.StatusCode, body, answered.Load())
	}
	if !canPark {
		return
	}
	send(t, c, getEvents)
	(<-wakes)()
	<-wakes
	_ = c.Close() // noticed in the second wait as well
	testrun.Receive(t, gone, "call of Gone")
}

func TestPollThatPanics(t *testing.T) { inBothForms(t, testPollThatPanics) }

func testPollThatPanics(t *testing.T, serve func([]kit.Endpoint, ...option) *site) {
	wakes := make(chan func(), 1)
	s := serve([]kit.Endpoint{kit.GET("/events", kit.Anyone,
		func(context.Context, kit.Actor, kit.None) (*kit.Wait, error) {
			return &kit.Wait{
				Notify: func(ready func()) { wakes <- ready },
				Result: func(context.Context) (any, error) { panic("sector 9") },
				Cancel: func() { panic("sector 10") },
			}, nil
		}, "")}, unlimited)
	c, r := s.dial()
	for range 2 {
		send(t, c, getEvents)
		(<-wakes)()
		if res, body := readResponse(t, r, "GET"); res.StatusCode != 500 ||
			body != `{"result":"error","msg":"Internal server error","code":"INTERNAL_SERVER_ERROR"}` {
			t.Errorf("%d %s", res.StatusCode, body)
		}
	}
	if !strings.Contains(s.log.String(), "sector 9") {
		t.Error("the log does not contain the cause")
	}
	if canPark {
		send(t, c, getEvents)
		<-wakes
		_ = c.Close()
		testrun.Await(t, "logged", func() bool { return strings.Contains(s.log.String(), "sector 10") })
	}
}
