package kit

import (
	"context"
	"errors"

	"github.com/stoachat/stoa/domain/realm"
)

// LoginClass is the rate class of routes that check passwords. Failures are counted by the parameter username or email
// of a row; mounted handlers count with LimitLogins. All share the same counts.
const LoginClass = "login"

// LoginLimit checks the password of a user name, unless too many checks have failed. A failed check returns
// AuthenticationFailed.
type LoginLimit func(ctx context.Context, r realm.ID, name string, check func(context.Context) error) error

type loginLimitKey struct{}

// WithLoginLimit stores the limit for LimitLogins. The edge calls it for mounted handlers of the class LoginClass.
func WithLoginLimit(ctx context.Context, limit LoginLimit) context.Context {
	return context.WithValue(ctx, loginLimitKey{}, limit)
}

// LimitLogins runs a password check within the limit of failed logins. ctx is that of the request. Errors: RateLimit;
// those of check.
func LimitLogins(ctx context.Context, r realm.ID, name string, check func(context.Context) error) error {
	limit, ok := ctx.Value(loginLimitKey{}).(LoginLimit)
	if !ok {
		return errors.New("the route is not of the rate class kit.LoginClass")
	}
	return limit(ctx, r, name, check)
}
