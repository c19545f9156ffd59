package ports

import "context"

type progressKey struct{}

// WithProgress returns a context whose work reports progress to made.
func WithProgress(ctx context.Context, made func()) context.Context {
	return context.WithValue(ctx, progressKey{}, made)
}

// Progressed reports progress of a request that streams a file. Such requests have no deadline, but end when they make
// no progress. Bytes of the body that arrive are progress; further work that may take as long must call Progressed.
func Progressed(ctx context.Context) {
	if made, ok := ctx.Value(progressKey{}).(func()); ok {
		made()
	}
}
