package traces

import (
	"context"
	"log/slog"

	sdk "go.opentelemetry.io/otel/sdk/trace"
)

// exporter logs when the collector stops accepting spans, and when it accepts them again. It is never called
// concurrently.
type exporter struct {
	sdk.SpanExporter
	log     *slog.Logger
	failing bool
}

// ExportSpans implements sdk.SpanExporter.
func (e *exporter) ExportSpans(ctx context.Context, spans []sdk.ReadOnlySpan) error {
	err := e.SpanExporter.ExportSpans(ctx, spans)
	switch {
	case err != nil && !e.failing:
		e.log.Warn("traces cannot be sent; they are lost until the collector answers", "error", err)
	case err == nil && e.failing:
		e.log.Info("traces can be sent again")
	}
	e.failing = err != nil
	return nil // everything has been said
}
