package fiberhttp

import (
	"context"
	"math"
	"net/netip"
	"strconv"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
)

// loginClass is the rate class of routes that check a password. Their failures are counted per user name.
const loginClass = kit.LoginClass

// limiter applies the rate limits. Most are those of this node; see Spent for the others. A nil limiter has no limits.
type limiter struct {
	users     *buckets[user.ID]
	owners    *buckets[user.ID] // by owner of bots
	addresses *buckets[netip.Addr]
	files     *buckets[reader]
	polls     *buckets[reader]
	servers   *buckets[netip.Addr]
	bulk      *buckets[reader] // in KiB
	logins    logins
	classes   map[string]*classLimiter // of modules, by module.name
	shared    map[string]shared        // by Spent.Limit
}

// caller identifies the client that a request is counted for.
type caller struct {
	user  user.ID // 0: not logged in
	owner user.ID // owner of the bot; 0: none
	from  netip.Addr
}

// reader identifies the client that downloads, polls and searches are counted for: a user, an owner's bots, or an
// address.
type reader struct {
	user  user.ID
	owner user.ID
	from  netip.Addr
}

func (c caller) reader() reader {
	switch {
	case c.owner != 0:
		return reader{owner: c.owner}
	case c.user != 0:
		return reader{user: c.user}
	}
	return reader{from: network(c.from)}
}

func newLimiter(c RateLimits, modules *kit.Collected) *limiter {
	if !c.Enabled {
		return nil
	}
	l := &limiter{
		classes:   classLimiters(c, modules),
		users:     newBuckets[user.ID](c.PerUser, c.Window, c.Remembered),
		owners:    newBuckets[user.ID](c.PerOwner, c.Window, c.Remembered),
		addresses: newBuckets[netip.Addr](c.PerAddress, c.Window, c.Remembered),
		files:     newBuckets[reader](c.Files, c.Window, c.Remembered),
		polls:     newBuckets[reader](c.Polls, c.Window, c.Remembered),
		servers:   newBuckets[netip.Addr](c.Servers, c.Window, c.Remembered),
		bulk:      newBuckets[reader](c.Bulk<<10, c.Window, c.Remembered),
		logins:    newLogins(c),
	}
	l.shared = l.shareAll()
	return l
}

// SetRateLimits replaces the rate limits. All counts begin again.
func (s *Server) SetRateLimits(c RateLimits) { s.limiting.Store(newLimiter(c, s.Collected)) }

func (s *Server) limits() *limiter { return s.limiting.Load() }

// count counts a request for its user, or for its address if not logged in, and writes the rate limit headers. A bot's
// requests also count for its owner, who could otherwise evade the limit with many bots. Errors: RateLimit.
func (l *limiter) count(c *fiber.Ctx, by caller, now time.Time) error {
	if l == nil {
		return nil
	}
	var q quota
	var ok bool
	if by.user != 0 {
		q, ok = l.users.take(by.user, now)
	} else {
		q, ok = l.addresses.take(network(by.from), now)
	}
	if ok && by.owner != 0 {
		if all, left := l.owners.take(by.owner, now); !left {
			l.users.refund(by.user, now)
			q, ok = all, false
		}
	}
	q.write(&c.Response().Header)
	if !ok {
		return q.refusal()
	}
	return nil
}

// countAddress counts a request for its address. Errors: RateLimit.
func (l *limiter) countAddress(h *fasthttp.ResponseHeader, from netip.Addr, now time.Time) error {
	if l == nil {
		return nil
	}
	q, ok := l.addresses.take(network(from), now)
	q.write(h)
	if !ok {
		return q.refusal()
	}
	return nil
}

// uncountAddress undoes countAddress for a request that turned out to come from a user.
func (l *limiter) uncountAddress(from netip.Addr, now time.Time) {
	if l != nil {
		l.addresses.refund(network(from), now)
	}
}

// countFile counts a download. Downloads are cached, also by intermediaries, and pages load many at once, so responses
// carry rate limit headers only if the limit is exceeded. Errors: RateLimit.
func (l *limiter) countFile(c *fiber.Ctx, by caller, now time.Time) error {
	if l == nil {
		return nil
	}
	q, ok := l.files.take(by.reader(), now)
	if !ok {
		q.write(&c.Response().Header)
		return q.refusal()
	}
	return nil
}

// countPoll counts a long poll, and writes the rate limit headers. A request that is not logged in, and will therefore
// be refused, counts for its address like any other. Errors: RateLimit.
func (l *limiter) countPoll(c *fiber.Ctx, by caller, now time.Time) error {
	if l == nil || by.user == 0 {
		return l.count(c, by, now)
	}
	q, ok := l.polls.take(by.reader(), now)
	q.write(&c.Response().Header)
	if !ok {
		return q.refusal()
	}
	return nil
}

// countBulk charges a caller for bytes of messages scanned or changed. Errors: RateLimit.
func (l *limiter) countBulk(by caller, bytes int, now time.Time) error {
	if l == nil {
		return nil
	}
	if q, ok := l.bulk.spend(by.reader(), float64(bytes)/1024, now); !ok {
		return q.refusal()
	}
	return nil
}

// countServer counts a call by another server. Errors: RateLimit.
func (l *limiter) countServer(c *fiber.Ctx, by caller, now time.Time) error {
	if l == nil {
		return nil
	}
	q, ok := l.servers.take(network(by.from), now)
	if !ok {
		q.write(&c.Response().Header)
		return q.refusal()
	}
	return nil
}

// count counts the request according to its route's class. Errors: RateLimit, Unavailable.
func (x *request) count(ctx context.Context) error {
	by := caller{user: x.actor.User, from: x.clientAddr()}
	if x.actor.Bot != 0 {
		v, err := x.s.Directory.View(ctx, x.actor.Realm)
		if err != nil {
			return err
		}
		if bot := v.User(by.user); bot != nil {
			by.owner = bot.BotOwner
		}
	}
	x.caller = by
	switch x.route.RateClass {
	case kit.RateFiles:
		return x.s.limits().countFile(x.c, by, x.start)
	case kit.RatePolls:
		return x.s.limits().countPoll(x.c, by, x.start)
	case kit.RateServers:
		return x.s.limits().countServer(x.c, by, x.start)
	}
	if err := x.s.limits().count(x.c, by, x.start); err != nil || kit.OwnRateClass(x.route.RateClass) {
		return err
	}
	return x.s.limits().countClass(x, x.start)
}

// network returns the address that limits apply to: for IPv6 the /64 network, since its owner can use any address in
// it.
func network(a netip.Addr) netip.Addr {
	if a = a.Unmap(); !a.Is6() {
		return a
	}
	p, err := a.Prefix(64)
	if err != nil {
		return a
	}
	return p.Addr()
}

func (q quota) write(h *fasthttp.ResponseHeader) {
	setNumber(h, "X-Ratelimit-Limit", int64(q.limit))
	setNumber(h, "X-Ratelimit-Remaining", int64(q.remaining))
	setNumber(h, "X-Ratelimit-Reset", int64(math.Ceil(float64(q.reset.UnixNano())/1e9)))
}

// setNumber sets a header without allocating its value.
func setNumber(h *fasthttp.ResponseHeader, name string, value int64) {
	var digits [20]byte
	h.SetBytesV(name, strconv.AppendInt(digits[:0], value, 10))
}

func (q quota) refusal() error {
	seconds := math.Ceil(q.wait.Seconds()*1000) / 1000
	return errs.New(errs.RateLimit, "API usage exceeded rate limit").With("retry-after", seconds)
}
