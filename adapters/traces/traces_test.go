package traces_test

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/stoachat/stoa/adapters/traces"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/ports"
)

// Traces that are off cost nothing but a comparison.
func TestNoAllocations(t *testing.T) {
	var off *ports.Traces
	ctx, refusal := t.Context(), errs.Bad("No such user")
	n := testing.AllocsPerRun(100, func() {
		ctx, request := off.Begin(ctx, ports.SpanRequest, "GET /", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
		_, query := off.Within(ctx, ports.SpanQuery, "user.RecentlyActive")
		query.Label("key", "value")
		query.Number("key", 1)
		query.End(refusal)
		if request.Trace() != "" {
			t.Error("there is a trace")
		}
		request.End(nil)
	})
	if n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkOff(b *testing.B) {
	var off *ports.Traces
	ctx := b.Context()
	b.ReportAllocs()
	for b.Loop() {
		ctx, request := off.Begin(ctx, ports.SpanRequest, "GET /", "")
		_, query := off.Within(ctx, ports.SpanQuery, "user.RecentlyActive")
		query.End(nil)
		request.End(nil)
	}
}

func library(c traces.Config) *traces.Library {
	return traces.New(c, "1.2.3", slog.New(slog.DiscardHandler))
}

const (
	id      = "0af7651916cd43dd8448eb211c80319c"
	sampled = "00-" + id + "-b7ad6b7169203331-01"
	dropped = "00-" + id + "-b7ad6b7169203331-00"
)

// A trace that another program has begun is continued or not, as it has decided; others are sampled.
func TestSampling(t *testing.T) {
	for _, c := range []struct {
		sample         float64
		parent         string
		records, other bool
	}{
		{0, "", false, false}, {1, "", true, true}, {0, sampled, true, false}, {1, dropped, false, false},
		{1, "nonsense", true, true}, {0, "nonsense", false, false},
	} {
		s := library(traces.Config{Sample: c.sample}).Begin(ports.SpanRequest, "GET /", c.parent)
		if (s != nil) != c.records {
			t.Errorf("%v, %q: recorded: %v", c.sample, c.parent, s != nil)
			continue
		}
		if s == nil {
			continue
		}
		if other := s.Trace() != id; other != c.other || !strings.HasPrefix(s.Header(), "00-"+s.Trace()+"-") {
			t.Errorf("%v, %q: trace %s, header %s", c.sample, c.parent, s.Trace(), s.Header())
		}
		s.End(false)
	}
}

// A request to another server is a span of what causes it, and tells the other server.
func TestTransport(t *testing.T) {
	var got http.Header
	call := ports.TracedTransport("webhook", transport(func(r *http.Request) (*http.Response, error) {
		got = r.Header
		return nil, errors.New("unreachable")
	}))
	send := func(ctx context.Context) http.Header {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://192.0.2.1/", http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		res, err := call.RoundTrip(req)
		if err == nil {
			_ = res.Body.Close()
			t.Error("no error")
		}
		if req.Header.Get("Traceparent") != "" {
			t.Error("the caller's request was changed")
		}
		return got
	}
	if h := send(t.Context()); h.Get("Traceparent") != "" {
		t.Errorf("without a span, the header is %v", h)
	}
	ctx, span := ports.NewTraces(library(traces.Config{Sample: 1})).Begin(t.Context(), ports.SpanJob, "x.y", "")
	if h := send(ctx).Get("Traceparent"); !strings.HasPrefix(h, "00-"+span.Trace()+"-") || !strings.HasSuffix(h, "-01") {
		t.Errorf("traceparent is %q in the trace %s", h, span.Trace())
	}
}

type transport func(*http.Request) (*http.Response, error)

// RoundTrip implements http.RoundTripper.
func (t transport) RoundTrip(r *http.Request) (*http.Response, error) { return t(r) }

// A collector that never answers delays nobody: what does not fit into the queue is dropped.
func TestDeadCollector(t *testing.T) {
	var lc net.ListenConfig
	dead, err := lc.Listen(t.Context(), "tcp", "127.0.0.1:0") // accepts nothing
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = dead.Close() }()
	l := library(traces.Config{Endpoint: "http://" + dead.Addr().String(), Sample: 1})
	if err := l.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	for range 20_000 {
		l.Begin(ports.SpanRequest, "GET /", "").End(false)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // the server stops, and has no time to wait
	if err := l.Stop(ctx); err != nil {
		t.Error(err)
	}
}

func TestConfig(t *testing.T) {
	for _, c := range []struct {
		cfg  traces.Config
		want string
	}{
		{traces.Defaults(), ""},
		{traces.Config{Endpoint: "https://traces.example.com/otlp/v1/traces", Sample: 1}, ""},
		{traces.Config{Endpoint: "localhost:4318"}, `endpoint: "localhost:4318" is not a URL such as http://127.0.0.1:4318`},
		{traces.Config{Sample: 1.5}, "sample: want a number from 0 to 1, got 1.5"},
	} {
		got := ""
		if err := c.cfg.Validate(); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%+v: %q, want %q", c.cfg, got, c.want)
		}
	}
}
