package ports

import "context"

type witnessKey struct{}

// WithWitness returns a context whose changes call fn with the type and the op of each event, once they are committed.
// Tests use it to check that each event a request causes is listed in the description of its operation.
func WithWitness(ctx context.Context, fn func(typ, op string)) context.Context {
	return context.WithValue(ctx, witnessKey{}, fn)
}

// Witness reports a committed event to the witness of ctx, if it has one.
func Witness(ctx context.Context, typ, op string) {
	if fn, ok := ctx.Value(witnessKey{}).(func(typ, op string)); ok {
		fn(typ, op)
	}
}
