package ports

import (
	"context"
	"errors"
	"net/http"

	"github.com/stoachat/stoa/domain/errs"
)

// Traces records what requests and jobs consist of, as spans. A nil *Traces, as while traces are off, records nothing,
// and neither does a nil *Span. Both cost no allocation. Names and labels of spans come from the program, and never
// contain what people write or choose: names, addresses, texts of errors.
type Traces struct{ library TraceLibrary }

// TraceLibrary begins traces. It isolates the library for traces.
type TraceLibrary interface {
	// Begin begins a span that no other one of this server contains. parent is the header traceparent of the request that
	// caused it, or "". It returns nil if the span is not recorded.
	Begin(group SpanGroup, name, parent string) TraceSpan
}

// TraceSpan is a span of a library. It is a port because TraceLibrary returns it.
type TraceSpan interface {
	Begin(group SpanGroup, name string) TraceSpan // a span within this one
	Label(key, value string)
	Number(key string, n int)
	End(failed bool)
	Trace() string  // the ID of the trace
	Header() string // traceparent of requests that the span causes
}

// SpanGroup is the kind of work that a span measures, with which the name of the span begins.
type SpanGroup string

// The groups.
const (
	SpanRequest     SpanGroup = "request"     // a request to this server, by method and route
	SpanJob         SpanGroup = "job"         // a run of a background job
	SpanCommand     SpanGroup = "command"     // an administrative command
	SpanTransaction SpanGroup = "transaction" // a unit of work with its repetitions, or waiting for a writer
	SpanStatement   SpanGroup = "statement"   // a round trip to the database
	SpanQuery       SpanGroup = "query"       // an answer of one module to another
	SpanHook        SpanGroup = "hook"        // the reaction of a module to a hook event
	SpanCall        SpanGroup = "call"        // a request to another server
)

// Span is a part of a trace.
type Span struct{ of TraceSpan }

type spanKey struct{}

// NewTraces returns traces that a library keeps.
func NewTraces(l TraceLibrary) *Traces { return &Traces{l} }

// Begin begins the span of a request or a job, and returns a context for what it does. parent is the header traceparent
// of the request, or "".
func (t *Traces) Begin(ctx context.Context, group SpanGroup, name, parent string) (context.Context, *Span) {
	if t == nil {
		return ctx, nil
	}
	return with(ctx, t.library.Begin(group, name, parent))
}

// Within begins a span within that of ctx. Without one, it records nothing.
func (t *Traces) Within(ctx context.Context, group SpanGroup, name string) (context.Context, *Span) {
	if t == nil {
		return ctx, nil
	}
	return within(ctx, group, name)
}

func within(ctx context.Context, group SpanGroup, name string) (context.Context, *Span) {
	if s, _ := ctx.Value(spanKey{}).(*Span); s != nil {
		return with(ctx, s.of.Begin(group, name))
	}
	return ctx, nil
}

func with(ctx context.Context, of TraceSpan) (context.Context, *Span) {
	if of == nil {
		return ctx, nil
	}
	s := &Span{of}
	return context.WithValue(ctx, spanKey{}, s), s
}

// Label adds a text from a closed set, or an ID, to the span.
func (s *Span) Label(key, value string) {
	if s != nil {
		s.of.Label(key, value)
	}
}

// Number adds a number to the span.
func (s *Span) Number(key string, n int) {
	if s != nil {
		s.of.Number(key, n)
	}
}

// End ends the span. A refusal of domain/errs is no failure.
func (s *Span) End(err error) {
	if s == nil {
		return
	}
	var refusal *errs.Error
	s.of.End(err != nil && !errors.As(err, &refusal))
}

// Trace returns the ID of the trace, or "".
func (s *Span) Trace() string {
	if s == nil {
		return ""
	}
	return s.of.Trace()
}

// BeginCall begins the span of a call of another server within the span of ctx, with the name of the kind of server.
// For calls by HTTP, use TracedTransport.
func BeginCall(ctx context.Context, name string) (context.Context, *Span) {
	return within(ctx, SpanCall, name)
}

// TracedTransport returns a transport whose requests are spans of those of their contexts, with the name of the kind of
// server that they are for. They carry the header traceparent.
func TracedTransport(name string, next http.RoundTripper) http.RoundTripper {
	return tracedTransport{name, next}
}

type tracedTransport struct {
	name string
	next http.RoundTripper
}

// RoundTrip implements http.RoundTripper.
func (t tracedTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	ctx, span := BeginCall(r.Context(), t.name)
	if span != nil {
		r = r.Clone(ctx)
		r.Header.Set("Traceparent", span.of.Header())
		span.Label("http.request.method", r.Method)
	}
	res, err := t.next.RoundTrip(r)
	if err == nil {
		span.Number("http.response.status_code", res.StatusCode)
	}
	span.End(err)
	return res, err
}
