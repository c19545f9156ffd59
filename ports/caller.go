package ports

import (
	"context"

	"github.com/stoachat/stoa/domain/user"
)

type callerKey struct{}

// WithCaller returns a context that identifies the caller of a request. Between authentication and commit the caller's
// account may be deactivated or the API key revoked, on any node. UnitOfWork and Writer therefore check both again
// against the view that the change commits on, so a revocation takes effect immediately.
func WithCaller(ctx context.Context, a user.Actor) context.Context {
	return context.WithValue(ctx, callerKey{}, a)
}

// Caller returns the caller stored by WithCaller, or false if the server acts on its own behalf.
func Caller(ctx context.Context) (user.Actor, bool) {
	a, _ := ctx.Value(callerKey{}).(user.Actor)
	return a, a.User != 0
}

// Request returns what is known of whoever caused a change: the caller of a request, with or without a login, or the
// operator, with System. It is the zero Actor if the server acts on its own behalf.
func Request(ctx context.Context) user.Actor {
	a, _ := ctx.Value(callerKey{}).(user.Actor)
	return a
}
