package health_test

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stoachat/stoa/app/internal/health"
	"github.com/stoachat/stoa/modules/kit"
)

func TestProbes(t *testing.T) {
	down := errors.New("host db.internal refused")
	for _, c := range []struct {
		name, path     string
		database, disk error
		stuck          bool
		change         func(*health.Handler)
		ask            func(*http.Request)
		status         int
		body           string
	}{
		{name: "live", path: "live", status: 200, body: `{"result":"success","msg":"","status":"ok"}`},
		{name: "live without a database", path: "live", database: down, change: (*health.Handler).Stop, status: 200,
			body: `{"result":"success","msg":"","status":"ok"}`},
		{name: "stuck", path: "live", stuck: true, status: 503,
			body: `{"result":"error","msg":"The server is stuck.","status":"stuck"}`},
		{name: "ready", path: "ready", disk: down, status: 200, body: `{"result":"success","msg":"","status":"ok"}`},
		{name: "no database", path: "ready", database: down, status: 503,
			body: `{"result":"error","msg":"A service that the server needs is failing.","status":"failing"}`},
		{name: "stopping", path: "ready", change: (*health.Handler).Stop, status: 503,
			body: `{"result":"error","msg":"The server is stopping.","status":"stopping"}`},
		{name: "starting", path: "ready", database: down,
			change: func(h *health.Handler) { h.SetStarting(func() string { return "It is busy." }) }, status: 503,
			body: `{"result":"error","msg":"It is busy.","status":"starting"}`},
		{name: "operator", path: "ready?verbose", disk: down, status: 200,
			body: `{"result":"success","msg":"","status":"ok","checks":{"m.database":"ok","m.disk":"host db.internal refused"}}`},
		{name: "stranger", path: "ready?verbose", disk: down, status: 200,
			ask:  func(r *http.Request) { r.RemoteAddr = "192.0.2.1:5" },
			body: `{"result":"success","msg":"","status":"ok"}`},
		{name: "stranger behind a proxy of this machine", path: "ready?verbose", disk: down, status: 200,
			ask:  func(r *http.Request) { r.Header.Set("X-Forwarded-For", "192.0.2.1") },
			body: `{"result":"success","msg":"","status":"ok"}`},
		{name: "stranger behind a silent proxy", path: "ready?verbose", disk: down, status: 200,
			ask:  func(r *http.Request) { r.Host = "chat.example.com" },
			body: `{"result":"success","msg":"","status":"ok"}`},
		{name: "token", path: "ready?verbose", status: 200, ask: func(r *http.Request) {
			r.RemoteAddr = "192.0.2.1:5"
			r.Header.Set("Authorization", "Bearer a-token-of-operators")
		}, body: `{"result":"success","msg":"","status":"ok","checks":{"m.database":"ok","m.disk":"ok"}}`},
		{name: "wrong token", path: "ready?verbose", status: 200,
			ask:  func(r *http.Request) { r.Header.Set("Authorization", "Bearer guessed") },
			body: `{"result":"success","msg":"","status":"ok"}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := health.New(slog.New(slog.DiscardHandler))
			h.Token, h.Alive = "a-token-of-operators", func() bool { return !c.stuck }
			h.Collect([]kit.Contribution{{Module: "m", Parts: kit.Parts{Health: []kit.Check{
				{Name: "database", Run: func(context.Context) error { return c.database }},
				{Name: "disk", Minor: true, Run: func(context.Context) error { return c.disk }},
			}}}})
			if c.change != nil {
				c.change(h)
			}
			r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/health/"+c.path, http.NoBody)
			r.RemoteAddr, r.Host = "127.0.0.1:5", "127.0.0.1:9991"
			if c.ask != nil {
				c.ask(r)
			}
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			if got := strings.TrimSpace(w.Body.String()); w.Code != c.status || got != c.body {
				t.Errorf("got %d %s\nwant %d %s", w.Code, got, c.status, c.body)
			}
		})
	}
}
