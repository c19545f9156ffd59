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
	who loginAttempt,
	clock func() time.Time,
	run func(context.Context) (any, error),
) (any, error) {
	if l == nil {
		return run(ctx)
	}
	who.from = network(who.from)
	refund, err := l.logins.take(c, who, clock())
	if err != nil {
		return nil, err
	}
	res, err := run(ctx)
	if !errs.Is(err, errs.AuthenticationFailed) && !errs.Is(errors.Unwrap(err), errs.AuthenticationFailed) {
		refund(clock())
	}
	if err == nil {
		l.logins.remember(who)
	}
	return res, err
}

// take counts an attempt. The returned function undoes that. Errors: RateLimit.
func (l logins) take(c *fiber.Ctx, who loginAttempt, now time.Time) (func(time.Time), error) {
	if q, ok := l.perAddress.take(who, now); !ok {
		q.write(&c.Response().Header)
		return nil, q.refusal()
	}
	if l.remembers(who) {
		return func(now time.Time) { l.perAddress.refund(who, now) }, nil
	}
	all := loginAttempt{who.realm, who.name, netip.Addr{}}
	if q, ok := l.perName.take(all, now); !ok {
		l.perAddress.refund(who, now)
		q.write(&c.Response().Header)
		return nil, q.refusal()
	}
	return func(now time.Time) {
		l.perAddress.refund(who, now)
		l.perName.refund(all, now)
	}, nil
}

func (l logins) remembers(who loginAttempt) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	_, ok := l.known[who]
	return ok
}

// remember records a successful login. If the table is full, it drops half of the entries.
func (l logins) remember(who loginAttempt) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.known) >= l.maxKnown {
		for k := range l.known {
			if delete(l.known, k); len(l.known) <= l.maxKnown/2 {
				break
			}
		}
	}
	l.known[who] = struct{}{}
}
