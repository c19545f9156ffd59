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

// WithMeteredCaller is WithCaller and Metered in one, which each request needs.
func WithMeteredCaller(ctx context.Context, a user.Actor, take func(bytes int) error) context.Context {
	return &callerContext{Context: ctx, caller: a, take: take}
}

type callerContext struct {
	context.Context

	caller any // a user.Actor
	take   func(bytes int) error
}

// Value implements context.Context.
func (c *callerContext) Value(key any) any {
	switch key {
	case callerKey{}:
		return c.caller
	case meterKey{}:
		return c.take
	}
	return c.Context.Value(key)
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
