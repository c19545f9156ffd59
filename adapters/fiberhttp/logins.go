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

// fromAnywhere is how many times more failures are allowed per name from all addresses together than from one.
const fromAnywhere = 20

// logins limits failed logins per name and address, and per name over all addresses to prevent distributed guessing.
// Addresses from which the user has logged in before are exempt from the second limit, so that attackers elsewhere
// cannot lock the user out.
type logins struct {
	here     *buckets[loginAttempt]
	anywhere *buckets[loginAttempt]

	mu    *sync.Mutex
	known map[loginAttempt]struct{} // successful logins
	most  int                       // maximum number of entries in known
}

func newLogins(c RateLimits) logins {
	return logins{
		here:     newBuckets[loginAttempt](c.FailedLogins, c.FailedLoginsOver, c.Remembered),
		anywhere: newBuckets[loginAttempt](c.FailedLogins*fromAnywhere, c.FailedLoginsOver, c.Remembered),
		mu:       &sync.Mutex{}, known: map[loginAttempt]struct{}{}, most: c.Remembered,
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
	giveBack, err := l.logins.take(c, who, clock())
	if err != nil {
		return nil, err
	}
	res, err := run(ctx)
	if !errs.Is(err, errs.AuthenticationFailed) && !errs.Is(errors.Unwrap(err), errs.AuthenticationFailed) {
		giveBack(clock())
	}
	if err == nil {
		l.logins.know(who)
	}
	return res, err
}

// take counts an attempt. The returned function undoes that. Errors: RateLimit.
func (l logins) take(c *fiber.Ctx, who loginAttempt, now time.Time) (func(time.Time), error) {
	if q, ok := l.here.take(who, now); !ok {
		q.write(&c.Response().Header)
		return nil, q.refusal()
	}
	if l.knows(who) {
		return func(now time.Time) { l.here.giveBack(who, now) }, nil
	}
	all := loginAttempt{who.realm, who.name, netip.Addr{}}
	if q, ok := l.anywhere.take(all, now); !ok {
		l.here.giveBack(who, now)
		q.write(&c.Response().Header)
		return nil, q.refusal()
	}
	return func(now time.Time) {
		l.here.giveBack(who, now)
		l.anywhere.giveBack(all, now)
	}, nil
}

func (l logins) knows(who loginAttempt) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	_, ok := l.known[who]
	return ok
}

// know records a successful login. If the table is full, it drops half of the entries.
func (l logins) know(who loginAttempt) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.known) >= l.most {
		for k := range l.known {
			if delete(l.known, k); len(l.known) <= l.most/2 {
				break
			}
		}
	}
	l.known[who] = struct{}{}
}
