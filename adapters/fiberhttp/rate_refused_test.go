package fiberhttp

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stoachat/stoa/modules/kit"
)

// Requests that match no route count like any others without a login.
func TestUnroutedRequestsCount(t *testing.T) {
	for _, call := range []string{"GET /api/v1/nothing", "DELETE /api/v1/open", "BREW /api/v1/open", "BREW /nothing",
		"POST /favicon.ico"} {
		s := serve(t, rows(), limited)
		for i := range 4 {
			got := s.do(call, callOptions{})
			if want := map[bool]string{true: "429", false: "40"}[i >= 2]; !strings.HasPrefix(fmt.Sprint(got.status), want) {
				t.Errorf("%s, call %d: %d", call, i+1, got.status)
			}
		}
		if got := s.do("GET /api/v1/things/5", callOptions{as: "alice"}); got.status != 200 {
			t.Errorf("an authenticated user is limited too: %d", got.status)
		}
	}
}

// begun is a body of the size that fasthttp reads before it calls a handler.
var begun = strings.Repeat("x", 16<<10)

// The body of a rate-limited request is not read: the response is sent before it arrives.
func TestRefusedBodiesAreNotRead(t *testing.T) {
	keyed := kit.POST("/keyed", kit.Users, func(context.Context, kit.Actor, struct {
		Key string `json:"api_key"`
	}) (kit.None, error) {
		return kit.None{}, nil
	}, "").AcceptKey("api_key")
	patch := kit.PATCH("/patched", kit.Anyone, whoami, "")
	s := serve(t, []kit.Endpoint{keyed, patch, kit.GET("/open", kit.Anyone, whoami, "")}, limited)
	for range 2 {
		s.do("GET /api/v1/open", callOptions{})
	}
	for _, path := range []string{"/keyed", "/patched", "/nothing", "/open"} {
		c, r := s.dial()
		send(t, c, "POST /api/v1"+path+" HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\n"+
			"Content-Length: 1000000\r\n\r\napi_key=alice&x="+begun)
		res, err := http.ReadResponse(r, nil)
		if err != nil || res.StatusCode != http.StatusTooManyRequests {
			t.Errorf("%s: %v, %v", path, res, err)
		}
		_ = c.Close()
	}
	s = serve(t, []kit.Endpoint{keyed}, limited) // requests with a login count for the user
	for range 3 {
		if got := s.do("POST /api/v1/keyed", callOptions{form: "api_key=alice"}); got.status != 200 ||
			got.header.Get("X-RateLimit-Limit") != "3" {
			t.Errorf("with a key in the body: %d %v", got.status, got.header)
		}
	}
}

// A body is read for a method override only if its path supports a method to override to.
func TestBodiesReadForMethodOverride(t *testing.T) {
	s := serve(t, []kit.Endpoint{kit.GET("/open", kit.Anyone, whoami, "")}, unlimited)
	c, r := s.dial()
	send(t, c, "POST /api/v1/open HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\n"+
		"Content-Length: 1000000\r\n\r\nmethod=PATCH&x="+begun)
	_ = c.(interface{ CloseWrite() error }).CloseWrite()
	res, err := http.ReadResponse(r, nil)
	if err != nil || res.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("%v, %v", res, err)
	}
}
