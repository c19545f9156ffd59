package kit

import (
	"context"
	"time"
)

// Progress is how far a command is. The command line shows it on standard error.
type Progress struct {
	Phase   string        `json:"phase"` // what the command does now, such as "messages"
	Done    int64         `json:"done"`
	Total   int64         `json:"total,omitempty"` // 0: unknown
	Bytes   int64         `json:"bytes,omitempty"`
	Elapsed time.Duration `json:"elapsed"` // since the phase began
}

// Reporting declares that the command may run for long, and calls ShowProgress.
func (c Command) Reporting() Command { c.Reports = true; return c }

type progressKey struct{}

// WithProgress returns a context in which ShowProgress calls show.
func WithProgress(ctx context.Context, show func(Progress)) context.Context {
	return context.WithValue(ctx, progressKey{}, show)
}

// ShowProgress shows how far a command is that was declared as Reporting. Call it at most a few times per second.
func ShowProgress(ctx context.Context, p Progress) {
	if show, ok := ctx.Value(progressKey{}).(func(Progress)); ok {
		show(p)
	}
}
