package kit

import (
	"context"
	"errors"

	"github.com/stoachat/stoa/domain/realm"
)

// LoginClass is the rate class of routes that check passwords. Failures are counted by the endpoint's parameter
// username or email; mounted handlers call LimitLogins. All routes share the same counters.
const LoginClass = "login"

// LoginLimit calls check, which checks the password of the user called name, unless too many checks for that name have
// failed. check returns AuthenticationFailed if the password is wrong.
type LoginLimit func(ctx context.Context, r realm.ID, name string, check func(context.Context) error) error

type loginLimitKey struct{}

// WithLoginLimit returns a context with the limit that LimitLogins applies. The HTTP server calls it for mounted
// handlers with the rate class LoginClass.
func WithLoginLimit(ctx context.Context, limit LoginLimit) context.Context {
	return context.WithValue(ctx, loginLimitKey{}, limit)
}

// LimitLogins calls check unless the limit of failed logins is exceeded; see LoginLimit. ctx must be the request's
// context. Errors: RateLimit; those of check.
func LimitLogins(ctx context.Context, r realm.ID, name string, check func(context.Context) error) error {
	limit, ok := ctx.Value(loginLimitKey{}).(LoginLimit)
	if !ok {
		return errors.New("the route does not have the rate class kit.LoginClass")
	}
	return limit(ctx, r, name, check)
}
