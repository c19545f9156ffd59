package health_test

import (
	"bytes"
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

func TestHealth(t *testing.T) {
	well := kit.Check{Name: "well", Run: func(context.Context) error { return nil }}
	ill := kit.Check{Name: "ill", Run: func(context.Context) error { return errors.New("host db.internal refused") }}
	bad := kit.Check{Name: "bad", Run: func(context.Context) error { panic("ouch") }}
	minor := kit.Check{Name: "minor", Minor: true, Run: ill.Run}
	slow := kit.Check{Name: "slow", Run: func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }}
	const ok, failing = `{"result":"success","msg":"",`,
		`{"result":"error","msg":"A service that the server needs is failing.",`
	for _, c := range []struct {
		name, method string
		checks       []kit.Check
		status       int
		body         string
	}{
		{"minor", "GET", []kit.Check{well, minor}, 200,
			ok + `"status":"degraded","checks":{"m.minor":"failing","m.well":"ok"}}`},
		{"minor and ill", "GET", []kit.Check{ill, minor, well}, 503, failing +
			`"status":"failing","checks":{"m.ill":"failing","m.minor":"failing","m.well":"ok"}}`},
		{"none", "GET", nil, 200, ok + `"status":"ok","checks":{}}`},
		{"well", "GET", []kit.Check{well}, 200, ok + `"status":"ok","checks":{"m.well":"ok"}}`},
		{"ill", "GET", []kit.Check{well, ill, bad}, 503, failing +
			`"status":"failing","checks":{"m.bad":"failing","m.ill":"failing","m.well":"ok"}}`},
		{"post", "POST", []kit.Check{well}, 405, "method not allowed"},
		{"gone", "GET", []kit.Check{slow}, 503, failing + `"status":"failing","checks":{"m.slow":"failing"}}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			var log bytes.Buffer
			h := health.New(slog.New(slog.NewTextHandler(&log, nil)))
			h.Collect([]kit.Contribution{{Module: "m", Parts: kit.Parts{Health: c.checks}}})
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if c.name == "gone" {
				cancel()
			}
			w := httptest.NewRecorder()
			h.ServeHTTP(w, httptest.NewRequestWithContext(ctx, c.method, "/health", http.NoBody))
			if w.Code != c.status || strings.TrimSpace(w.Body.String()) != c.body {
				t.Errorf("got %d %s", w.Code, w.Body)
			}
			if c.name == "ill" && (!strings.Contains(log.String(), "db.internal") ||
				strings.Contains(w.Body.String(), "db.internal")) {
				t.Errorf("the cause belongs in the log and nowhere else:\n%s", log.String())
			}
		})
	}
}

// Warn logs failing checks and their causes.
func TestWarn(t *testing.T) {
	var log bytes.Buffer
	h := health.New(slog.New(slog.NewTextHandler(&log, nil)))
	h.Collect([]kit.Contribution{{Module: "m", Parts: kit.Parts{Health: []kit.Check{
		{Name: "well", Run: func(context.Context) error { return nil }},
		{Name: "ill", Minor: true, Run: func(context.Context) error { return errors.New("no bucket") }},
	}}}})
	h.Warn(t.Context())
	if strings.Count(log.String(), "\n") != 1 || !strings.Contains(log.String(), `check=m.ill error="no bucket"`) {
		t.Error(log.String())
	}
}

// A failure that persists is logged once, and its end is logged as well.
func TestChangesAreLogged(t *testing.T) {
	var log bytes.Buffer
	var err error
	h := health.New(slog.New(slog.NewTextHandler(&log, nil)))
	h.Collect([]kit.Contribution{{Module: "m",
		Parts: kit.Parts{Health: []kit.Check{{Name: "c", Run: func(context.Context) error { return err }}}}}})
	for _, c := range []struct {
		err  error
		want string
	}{{nil, ""}, {errors.New("out"), "failed"}, {errors.New("still out"), ""}, {nil, "passes again"}, {nil, ""}} {
		log.Reset()
		err = c.err
		h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(t.Context(), "GET", "/health", http.NoBody))
		if got := log.String(); (c.want == "") != (got == "") || !strings.Contains(got, c.want) {
			t.Errorf("%v: logged %q", c.err, got)
		}
	}
}

// A stopping server is unready, whatever its checks report.
func TestStop(t *testing.T) {
	h := health.New(slog.New(slog.DiscardHandler))
	h.Stop()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), "GET", "/health", http.NoBody))
	const want = `{"result":"error","msg":"The server is stopping.","status":"stopping","checks":{}}`
	if w.Code != 503 || strings.TrimSpace(w.Body.String()) != want {
		t.Errorf("got %d %s", w.Code, w.Body)
	}
}
