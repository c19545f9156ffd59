package ports

import (
	"context"

	"github.com/stoachat/stoa/domain/user"
)

type askerKey struct{}

// Asking gives a context for what a request of somebody does. Between the moment in which it was let in and the one in
// which it changes something their account may be deactivated, or the key that it came with ended, on any node:
// UnitOfWork and Writer look again, at the facts that the change is decided on, so that who has ended a key can rely on
// it.
func Asking(ctx context.Context, a user.Actor) context.Context {
	return context.WithValue(ctx, askerKey{}, a)
}

// Asker gives who asks; false: the server does this on its own.
func Asker(ctx context.Context) (user.Actor, bool) {
	a, _ := ctx.Value(askerKey{}).(user.Actor)
	return a, a.User != 0
}
