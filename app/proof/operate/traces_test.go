package operate_test

import (
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	trace "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/app/proof/internal/harness"
)

// collected is a collector of OpenTelemetry that keeps all spans.
type collected struct {
	*httptest.Server
	mu     sync.Mutex
	spans  []*trace.Span
	header http.Header
	text   strings.Builder // what was received
}

func collect(t *testing.T) *collected {
	t.Helper()
	c := &collected{}
	c.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		var in collector.ExportTraceServiceRequest
		if err == nil {
			err = proto.Unmarshal(body, &in)
		}
		if err != nil || r.URL.Path != "/v1/traces" {
			t.Errorf("%s: %v", r.URL.Path, err)
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		c.header = r.Header
		c.text.Write(body)
		for _, of := range in.GetResourceSpans() {
			for _, s := range of.GetScopeSpans() {
				c.spans = append(c.spans, s.GetSpans()...)
			}
		}
	}))
	t.Cleanup(c.Close)
	return c
}

// received returns all bytes that were received.
func (c *collected) received() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.text.String()
}

// of returns the spans of a trace.
func (c *collected) of(trace string) (all []*trace.Span) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range c.spans {
		if hex.EncodeToString(s.GetTraceId()) == trace {
			all = append(all, s)
		}
	}
	return all
}

// names returns the names of spans, each once.
func names(all []*trace.Span) []string {
	var out []string
	for _, s := range all {
		out = append(out, s.GetName())
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// traced starts a server whose traces go to c. Its clients are trusted, like proxies.
func traced(t *testing.T, c *collected, more string) *kittest.Server {
	t.Helper()
	o := options("traces: {endpoint: '" + c.URL + "', token: collector-token, " + more + "}\n")
	o.Config = strings.Replace(o.Config, "http: {", "http: {trusted_proxies: [127.0.0.1], ", 1)
	return kittest.StartWith(t, o, harness.AllModules()...)
}

const parent = "0af7651916cd43dd8448eb211c80319c"

// traceparent is the header of a program that records the trace.
const traceparent = "00-" + parent + "-b7ad6b7169203331-01"

func send(t *testing.T, s *kittest.Server, who, route, header string, params ...string) {
	t.Helper()
	req := s.As(who).Request(route, strings.NewReader(strings.Join(params, "&")))
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Traceparent", header)
	s.As(who).RoundTrip(req).OK()
}

// A request is a trace with what it causes: units of work, statements, queries and hooks of modules.
func TestTraces(t *testing.T) {
	c := collect(t)
	s := traced(t, c, "sample: 0")
	send(t, s, "olga", "POST /messages", traceparent, "type=channel", `to="general"`, "topic=t", "content=hello")
	send(t, s, "olga", "POST /users/me/subscriptions", traceparent, `subscriptions=[{"name":"garden"}]`)
	var all []*trace.Span
	kittest.Await(t, func() bool {
		all = c.of(parent)
		return slices.Contains(names(all), "POST /api/v1/messages") &&
			slices.Contains(names(all), "POST /api/v1/users/me/subscriptions")
	})
	got := names(all)
	for _, want := range []string{"transaction send", "transaction change", "statement select", "statement commit"} {
		if !slices.Contains(got, want) {
			t.Errorf("%s is missing in %q", want, got)
		}
	}
	for _, group := range []string{"hook ", "query "} {
		if !slices.ContainsFunc(got, func(name string) bool { return strings.HasPrefix(name, group) }) {
			t.Errorf("no %sis in %q", group, got)
		}
	}
	if auth := c.header.Get("Authorization"); auth != "Bearer collector-token" {
		t.Errorf("Authorization is %q", auth)
	}
	for _, one := range all {
		if one.GetName() != "POST /api/v1/messages" {
			continue
		}
		labels := map[string]string{}
		for _, a := range one.GetAttributes() {
			labels[a.GetKey()] = a.GetValue().String()
		}
		if hex.EncodeToString(one.GetParentSpanId()) != "b7ad6b7169203331" || one.GetKind() != trace.Span_SPAN_KIND_SERVER ||
			labels["http.route"] != `string_value:"/api/v1/messages"` ||
			labels["http.response.status_code"] != "int_value:200" || labels["stoa.request"] == "" {
			t.Errorf("the span of the request is %v", one)
		}
	}
}

// A program that is no trusted proxy continues no trace, and one that does not record its trace is obeyed.
func TestTraceparentOfStrangers(t *testing.T) {
	c := collect(t)
	o := options("traces: {endpoint: '" + c.URL + "', sample: 1}\n")
	s := kittest.StartWith(t, o, harness.AllModules()...)
	send(t, s, "olga", "POST /messages", traceparent, "type=channel", `to="general"`, "topic=t", "content=hello")
	kittest.Await(t, func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		return slices.Contains(names(c.spans), "POST /api/v1/messages")
	})
	if all := c.of(parent); len(all) > 0 {
		t.Errorf("%q continue a stranger's trace", names(all))
	}
}

func TestTracesOfJobs(t *testing.T) {
	c := collect(t)
	s := traced(t, c, "sample: 1")
	s.RunJob("events.sweep")
	kittest.Await(t, func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		return slices.Contains(names(c.spans), "job events.sweep")
	})
}
