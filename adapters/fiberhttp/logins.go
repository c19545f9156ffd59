package fiberhttp

import (
	"context"
	"errors"
	"net/netip"
	"sync"
	"time"

	"github.com/gofiber/fiber/v2"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/realm"
)

// loginAttempt identifies login attempts with a user name from an address.
type loginAttempt struct {
	realm realm.ID
	name  string
	from  netip.Addr // the zero Addr: from any address
}

// perNameFactor is how many times more failures are allowed per name from all addresses together than from one.
const perNameFactor = 20

// logins limits failed logins per name and address, and per name over all addresses to prevent distributed guessing.
// Addresses from which the user has logged in before are exempt from the second limit, so that attackers elsewhere
// cannot lock the user out.
type logins struct {
	perAddress *buckets[loginAttempt]
	perName    *buckets[loginAttempt]

	mu       *sync.Mutex
	known    map[loginAttempt]struct{} // successful logins
	maxKnown int                       // maximum number of entries in known
}

func newLogins(c RateLimits) logins {
	return logins{
		perAddress: newBuckets[loginAttempt](c.FailedLogins, c.FailedLoginsOver, c.Remembered),
		perName:    newBuckets[loginAttempt](c.FailedLogins*perNameFactor, c.FailedLoginsOver, c.Remembered),
		mu:         &sync.Mutex{}, known: map[loginAttempt]struct{}{}, maxKnown: c.Remembered,
	}
}

// login runs a password check unless too many have failed. Running checks count as failures, so that concurrent
// requests cannot exceed the limit.
func (l *limiter) login(
	ctx context.Context,
	c *fiber.Ctx,
	attempt loginAttempt,
	clock func() time.Time,
	run func(context.Context) (any, error),
) (any, error) {
	if l == nil {
		return run(ctx)
	}
	attempt.from = network(attempt.from)
	refund, err := l.logins.take(c, attempt, clock())
	if err != nil {
		return nil, err
	}
	res, err := run(ctx)
	if !errs.Is(err, errs.AuthenticationFailed) && !errs.Is(errors.Unwrap(err), errs.AuthenticationFailed) {
		refund(clock())
	}
	if err == nil {
		l.logins.remember(attempt)
	}
	return res, err
}

// take counts an attempt. The returned function undoes that. Errors: RateLimit.
func (l logins) take(c *fiber.Ctx, attempt loginAttempt, now time.Time) (func(time.Time), error) {
	if q, ok := l.perAddress.take(attempt, now); !ok {
		q.write(&c.Response().Header)
		return nil, q.refusal()
	}
	if l.remembers(attempt) {
		return func(now time.Time) { l.perAddress.refund(attempt, now) }, nil
	}
	all := loginAttempt{attempt.realm, attempt.name, netip.Addr{}}
	if q, ok := l.perName.take(all, now); !ok {
		l.perAddress.refund(attempt, now)
		q.write(&c.Response().Header)
		return nil, q.refusal()
	}
	return func(now time.Time) {
		l.perAddress.refund(attempt, now)
		l.perName.refund(all, now)
	}, nil
}

func (l logins) remembers(attempt loginAttempt) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	_, ok := l.known[attempt]
	return ok
}

// remember records a successful login. If the table is full, it drops half of the entries.
func (l logins) remember(attempt loginAttempt) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.known) >= l.maxKnown {
		for k := range l.known {
			if delete(l.known, k); len(l.known) <= l.maxKnown/2 {
				break
			}
		}
	}
	l.known[attempt] = struct{}{}
}
