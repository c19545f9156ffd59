package fiberhttp

import (
	"context"
	"strings"
	"testing"

	"github.com/stoachat/stoa/modules/kit"
)

// The ID of a request is taken from a trusted proxy only, and returned.
func TestRequestID(t *testing.T) {
	open := []kit.Endpoint{kit.GET("/open", kit.Anyone, func(context.Context, kit.Actor, kit.None) (kit.None, error) {
		return kit.None{}, nil
	}, "")}
	for _, c := range []struct {
		proxies   []string
		id        string
		takesOver bool
	}{
		{[]string{"127.0.0.1"}, "4bf92f3577b34da6-1", true},
		{nil, "4bf92f3577b34da6-1", false},
		{[]string{"192.0.2.1"}, "4bf92f3577b34da6-1", false},
		{[]string{"127.0.0.1"}, `x" level=ERROR`, false},
		{[]string{"127.0.0.1"}, strings.Repeat("x", 65), false},
	} {
		s := serve(t, open, func(cfg *Config, _ *Deps) { cfg.TrustedProxies = c.proxies })
		got := s.do("GET /api/v1/open", callOptions{header: map[string]string{"X-Request-Id": c.id}})
		id := got.header.Get("X-Request-Id")
		if (id == c.id) != c.takesOver || id == "" {
			t.Errorf("%v, %q: the answer has %q", c.proxies, c.id, id)
		}
		if !strings.Contains(s.log.String(), "request="+id+" ") {
			t.Errorf("%q is not in the log\n%s", id, s.log.String())
		}
	}
}
