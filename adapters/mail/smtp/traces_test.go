package smtp_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stoachat/stoa/ports"
)

// spans keeps the names of spans that have ended, and whether they failed.
type spans struct{ ended *[]string }

type span struct {
	spans
	name string
}

func (s spans) Begin(g ports.SpanGroup, name, _ string) ports.TraceSpan {
	return span{s, string(g) + " " + name}
}

func (s span) Begin(g ports.SpanGroup, name string) ports.TraceSpan {
	return s.spans.Begin(g, name, "")
}
func (span) Label(string, string) {}
func (span) Number(string, int)   {}
func (s span) End(failed bool)    { *s.ended = append(*s.ended, fmt.Sprint(s.name, " ", failed)) }
func (span) Trace() string        { return "" }
func (span) Header() string       { return "" }

// Sending an email is a part of the trace of the job that sends it.
func TestTraces(t *testing.T) {
	var ended []string
	ctx, job := ports.NewTraces(spans{&ended}).Begin(t.Context(), ports.SpanJob, "mail.send", "")
	if err := open(t, config(serve(t, nil, false).port, "none")).Send(ctx, hello); err != nil {
		t.Error(err)
	}
	if err := open(t, config(1, "none")).Send(ctx, hello); err == nil {
		t.Error("no error")
	}
	job.End(nil)
	if want := []string{"call mail false", "call mail true", "job mail.send false"}; !slices.Equal(ended, want) {
		t.Errorf("got %q, want %q", ended, want)
	}
}
