package fiberhttp

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/stoachat/stoa/app/kittest/testrun"
	"github.com/stoachat/stoa/modules/kit"
)

// TestUnreadAnswers checks that the size of unread responses is limited per user, and that responses no longer count
// once they have been read.
func TestUnreadAnswers(t *testing.T) {
	text := strings.Repeat("x", maxUnsent/3)
	s := serve(t, []kit.Endpoint{
		kit.GET("/large", kit.Users, func(context.Context, kit.Actor, kit.None) (map[string]string, error) {
			return map[string]string{"text": text}, nil
		}, ""),
	})
	const get = "GET /api/v1/large HTTP/1.1\r\nHost: x\r\nAuthorization: "
	var slow []interface{ Close() error }
	for range 2 {
		c, r := s.dial()
		send(t, c, get+basicAuth("alice@example.com", "alice")+"\r\n\r\n")
		if line, err := r.ReadString('\n'); err != nil || !strings.Contains(line, "200") {
			t.Fatal(line, err)
		}
		slow = append(slow, c)
	}
	refused := s.do("GET /api/v1/large", callOptions{as: "alice"})
	if refused.status != http.StatusTooManyRequests || refused.header.Get("Retry-After") == "" ||
		!strings.Contains(refused.body, "RATE_LIMIT_HIT") {
		t.Errorf("a third one: %d %v %.200s", refused.status, refused.header, refused.body)
	}
	if other := s.do("GET /api/v1/large", callOptions{as: "olga"}); other.status != http.StatusOK {
		t.Errorf("somebody else: %d", other.status)
	}
	for _, c := range slow {
		_ = c.Close()
	}
	testrun.Await(t, "nothing is owed", func() bool {
		s.server.unsent.mu.Lock()
		defer s.server.unsent.mu.Unlock()
		return len(s.server.unsent.bytes) == 0
	})
	if again := s.do("GET /api/v1/large", callOptions{as: "alice"}); again.status != http.StatusOK {
		t.Errorf("after that: %d", again.status)
	}
}

// TestDisconnectCancelsReads checks that GET requests are canceled when their client disconnects, and that changes are
// not.
func TestDisconnectCancelsReads(t *testing.T) {
	begun, ended, proceed := make(chan struct{}), make(chan error, 1), make(chan struct{})
	s := serve(t, []kit.Endpoint{
		kit.GET("/long", kit.Anyone, func(ctx context.Context, _ kit.Actor, _ kit.None) (map[string]any, error) {
			begun <- struct{}{}
			<-ctx.Done()
			ended <- ctx.Err()
			return nil, ctx.Err()
		}, ""),
		kit.POST("/change", kit.Anyone, func(ctx context.Context, _ kit.Actor, _ kit.None) (map[string]any, error) {
			begun <- struct{}{}
			<-proceed
			ended <- ctx.Err()
			return nil, ctx.Err()
		}, ""),
	})
	c, _ := s.dial()
	send(t, c, "GET /api/v1/long HTTP/1.1\r\nHost: x\r\n\r\n")
	testrun.Receive(t, begun, "the request")
	_ = c.Close()
	if err := testrun.Receive(t, ended, "the end of the work"); err == nil {
		t.Error("the work continued")
	}
	c, _ = s.dial()
	send(t, c, "POST /api/v1/change HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n")
	testrun.Receive(t, begun, "the change")
	_ = c.Close()
	proceed <- struct{}{}
	if err := testrun.Receive(t, ended, "the end of the change"); err != nil {
		t.Errorf("the change was canceled: %v", err)
	}
}
