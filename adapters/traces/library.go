package traces

import (
	"context"
	"fmt"
	"log/slog"
	"net/url"
	"strings"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/stoachat/stoa/ports"
)

// The queue of spans that have not been sent.
const (
	queued      = 2048
	sendEvery   = time.Second
	sendTimeout = 10 * time.Second
)

// Library implements ports.TraceLibrary.
type Library struct {
	config   Config
	log      *slog.Logger
	provider *sdk.TracerProvider
	tracer   trace.Tracer
}

var _ ports.TraceLibrary = (*Library)(nil)

// New returns a library that sends nothing before Start.
func New(c Config, version string, log *slog.Logger) *Library {
	p := sdk.NewTracerProvider(
		sdk.WithSampler(sdk.ParentBased(sdk.TraceIDRatioBased(c.Sample))),
		sdk.WithResource(resource.NewSchemaless(
			attribute.String("service.name", "stoa"), attribute.String("service.version", version),
		)),
	)
	return &Library{c, log, p, p.Tracer("github.com/stoachat/stoa")}
}

// Start begins to send spans. It does not wait for the collector.
func (l *Library) Start(ctx context.Context) error {
	u, err := url.Parse(l.config.Endpoint)
	if err != nil {
		return fmt.Errorf("traces.endpoint: %w", err)
	}
	if strings.Trim(u.Path, "/") == "" {
		u.Path = "/v1/traces"
	}
	options := []otlptracehttp.Option{otlptracehttp.WithEndpointURL(u.String()), otlptracehttp.WithTimeout(sendTimeout)}
	if l.config.Token != "" {
		options = append(options,
			otlptracehttp.WithHeaders(map[string]string{"Authorization": "Bearer " + string(l.config.Token)}))
	}
	to, err := otlptracehttp.New(ctx, options...)
	if err != nil {
		return fmt.Errorf("traces: %w", err)
	}
	l.provider.RegisterSpanProcessor(sdk.NewBatchSpanProcessor(&exporter{SpanExporter: to, log: l.log},
		sdk.WithMaxQueueSize(queued), sdk.WithBatchTimeout(sendEvery), sdk.WithExportTimeout(sendTimeout)))
	return nil
}

// Stop sends the spans that wait, until ctx ends.
func (l *Library) Stop(ctx context.Context) error {
	_ = l.provider.Shutdown(ctx) // what could not be sent is lost, as when it is dropped
	return nil
}

// Begin implements ports.TraceLibrary.
func (l *Library) Begin(group ports.SpanGroup, name, parent string) ports.TraceSpan {
	ctx := context.Background()
	if parent != "" {
		ctx = propagation.TraceContext{}.Extract(ctx, propagation.MapCarrier{traceparent: parent})
	}
	return l.begin(ctx, group, name)
}

const traceparent = "traceparent"

// kinds are the kinds of spans that cross the border of the server.
var kinds = map[ports.SpanGroup]trace.SpanKind{
	ports.SpanRequest: trace.SpanKindServer, ports.SpanCall: trace.SpanKindClient,
	ports.SpanStatement: trace.SpanKindClient,
}

func (l *Library) begin(ctx context.Context, group ports.SpanGroup, name string) ports.TraceSpan {
	full := string(group) + " " + name
	if group == ports.SpanRequest {
		full = name // "GET /api/v1/messages" is what OpenTelemetry expects
	}
	ctx, s := l.tracer.Start(ctx, full, trace.WithSpanKind(kinds[group]))
	if !s.IsRecording() {
		return nil
	}
	return &span{l, ctx, s}
}

type span struct {
	library *Library
	ctx     context.Context // carries of
	of      trace.Span
}

// Begin implements ports.TraceSpan.
func (s *span) Begin(group ports.SpanGroup, name string) ports.TraceSpan {
	return s.library.begin(s.ctx, group, name)
}

// Label implements ports.TraceSpan.
func (s *span) Label(key, value string) { s.of.SetAttributes(attribute.String(key, value)) }

// Number implements ports.TraceSpan.
func (s *span) Number(key string, n int) { s.of.SetAttributes(attribute.Int(key, n)) }

// End implements ports.TraceSpan.
func (s *span) End(failed bool) {
	if failed {
		s.of.SetStatus(codes.Error, "")
	}
	s.of.End()
}

// Trace implements ports.TraceSpan.
func (s *span) Trace() string { return s.of.SpanContext().TraceID().String() }

// Header implements ports.TraceSpan.
func (s *span) Header() string {
	c := propagation.MapCarrier{}
	propagation.TraceContext{}.Inject(s.ctx, c)
	return c[traceparent]
}
