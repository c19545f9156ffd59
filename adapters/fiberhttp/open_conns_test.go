package fiberhttp

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/stoachat/stoa/app/kittest/testrun"
	"github.com/stoachat/stoa/modules/kit"
)

// A stopping server answers complete requests and does not wait for incomplete ones.
func TestStopIgnoresIncompleteRequests(t *testing.T) {
	begun, finish := make(chan struct{}), make(chan struct{})
	s := serve(t, []kit.Endpoint{
		kit.POST("/echo", kit.Anyone, func(context.Context, kit.Actor, struct {
			Text string `json:"text"`
		}) (kit.None, error) {
			return kit.None{}, nil
		}, ""),
		kit.GET("/work", kit.Anyone, func(context.Context, kit.Actor, kit.None) (kit.None, error) {
			close(begun)
			<-finish
			return kit.None{}, nil
		}, ""),
	}, unlimited)
	const post = "POST /api/v1/echo HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\n"
	for _, half := range []string{
		post, post + "Content-Length: 100\r\n\r\ntext=", post + "Transfer-Encoding: chunked\r\n\r\n5\r\ntext=\r\n",
	} {
		c, _ := s.dial()
		send(t, c, half)
	}
	c, _ := s.dial() // sends nothing
	_ = c
	working, answers := s.dial()
	send(t, working, "GET /api/v1/work HTTP/1.1\r\nHost: x\r\n\r\n")
	testrun.Receive(t, begun, "request")
	testrun.Await(t, "half requests read", func() bool {
		h := s.server.conns
		h.mu.Lock()
		defer h.mu.Unlock()
		used := 0
		for c := range h.open {
			if c.used.Load() {
				used++
			}
		}
		return used == 4 && len(h.open) == 5
	})
	ctx, cancel := context.WithTimeout(t.Context(), testrun.Patience) // shorter than the configured timeouts
	defer cancel()
	stopped := make(chan error, 1)
	go func() { stopped <- s.server.Stop(ctx) }()
	testrun.Await(t, "closed to new clients", func() bool {
		h := s.server.conns
		h.mu.Lock()
		defer h.mu.Unlock()
		return len(h.open) == 1
	})
	close(finish)
	res, err := http.ReadResponse(answers, nil)
	if err != nil || res.StatusCode != http.StatusOK {
		t.Errorf("the running request was answered with %v, %v", res, err)
	}
	if err := <-stopped; err != nil {
		t.Error(err)
	}
	if log := s.log.String(); strings.Contains(log, "panic") {
		t.Error(log)
	}
}

// When ctx ends, Stop cancels even running requests.
func TestStopCancelsRequests(t *testing.T) {
	begun, ended := make(chan struct{}), make(chan struct{})
	s := serve(t, []kit.Endpoint{
		kit.GET("/work", kit.Anyone, func(ctx context.Context, _ kit.Actor, _ kit.None) (kit.None, error) {
			close(begun)
			<-ctx.Done()
			close(ended)
			return kit.None{}, ctx.Err()
		}, ""),
	}, unlimited)
	c, _ := s.dial()
	send(t, c, "GET /api/v1/work HTTP/1.1\r\nHost: x\r\n\r\n")
	testrun.Receive(t, begun, "request")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.server.Stop(ctx); err == nil {
		t.Error("Stop returned as if all requests had been answered")
	}
	testrun.Receive(t, ended, "end of the request")
}
