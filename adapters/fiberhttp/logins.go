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

const (
	perNameFactor    = 20 // how many times more failures are allowed per name from all addresses than from one
	perNetworkFactor = 4  // how many times more failures are allowed per address with all names than with one
)

// logins limits failed logins per name and address, per name over all addresses to prevent distributed guessing, and
// per address over all names, since common passwords are tried with many names. Users are exempt from the second and
// third limit at addresses from which they have logged in before, so that neither attackers elsewhere nor colleagues
// behind the same address lock them out.
type logins struct {
	perAddress *buckets[loginAttempt]
	perName    *buckets[loginAttempt]
	perNetwork *buckets[loginAttempt]

	mu       *sync.Mutex
	known    map[loginAttempt]struct{} // successful logins
	maxKnown int                       // maximum number of entries in known
}

func newLogins(c RateLimits) logins {
	return logins{
		perAddress: newBuckets[loginAttempt](c.FailedLogins, c.FailedLoginsOver, c.Remembered),
		perName:    newBuckets[loginAttempt](c.FailedLogins*perNameFactor, c.FailedLoginsOver, c.Remembered),
		perNetwork: newBuckets[loginAttempt](c.FailedLogins*perNetworkFactor, c.FailedLoginsOver, c.Remembered),
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

// limitedBy is a limit, and what counts for it.
type limitedBy struct {
	*buckets[loginAttempt]
	key loginAttempt
}

// take counts an attempt. The returned function undoes that. Errors: RateLimit.
func (l logins) take(c *fiber.Ctx, attempt loginAttempt, now time.Time) (func(time.Time), error) {
	limits := []limitedBy{{l.perAddress, attempt}}
	if !l.remembers(attempt) {
		limits = append(limits, limitedBy{l.perName, loginAttempt{attempt.realm, attempt.name, netip.Addr{}}},
			limitedBy{l.perNetwork, loginAttempt{from: attempt.from}})
	}
	refund := func(taken []limitedBy, now time.Time) {
		for _, limit := range taken {
			limit.refund(limit.key, now)
		}
	}
	for i, limit := range limits {
		if q, ok := limit.take(limit.key, now); !ok {
			refund(limits[:i], now)
			q.write(&c.Response().Header)
			return nil, q.refusal()
		}
	}
	return func(now time.Time) { refund(limits, now) }, nil
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
