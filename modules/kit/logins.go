package kit

import (
	"context"
	"errors"

	"github.com/stoachat/stoa/domain/realm"
)

// LoginClass is the rate class of what checks passwords. Of a row, failures are counted by the parameter username or
// email; a mounted handler counts its own with LimitLogins. All share the same counts.
const LoginClass = "login"

// LoginLimit runs a check of a password for a user name, unless too many have failed. A failure is an error
// AuthenticationFailed.
type LoginLimit func(ctx context.Context, r realm.ID, name string, check func(context.Context) error) error

type loginLimitKey struct{}

// WithLoginLimit is for the edge: it gives mounted handlers of the class LoginClass what LimitLogins runs.
func WithLoginLimit(ctx context.Context, limit LoginLimit) context.Context {
	return context.WithValue(ctx, loginLimitKey{}, limit)
}

// LimitLogins checks a password within the limit of failed logins; ctx is that of the request. Errors: RateLimit;
// those of check.
func LimitLogins(ctx context.Context, r realm.ID, name string, check func(context.Context) error) error {
	limit, ok := ctx.Value(loginLimitKey{}).(LoginLimit)
	if !ok {
		return errors.New("the route is not of the rate class kit.LoginClass")
	}
	return limit(ctx, r, name, check)
}
