package fiberhttp

import (
	"context"
	"sync"

	"github.com/gofiber/fiber/v2"

	"github.com/stoachat/stoa/domain/errs"
)

// The bytes of answers that somebody has not read yet. One answer may be as large as it is; while it is being sent,
// others may be until all together have maxUnsent. What fits into the buffers of the network is not counted.
const (
	maxUnsent  = 32 << 20
	leastOwing = 64 << 10
	reads      = 8 // requests that read, of one reader at a time; more of them wait
	uploads    = 4 // requests that bring a file, likewise
)

// unsent counts them.
type unsent struct {
	mu   sync.Mutex
	owed map[reader]int
}

// take counts n bytes, unless there would be too many.
func (u *unsent) take(r reader, n int) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	if had := u.owed[r]; had > 0 && had+n > maxUnsent {
		return false
	}
	u.owed[r] += n
	return true
}

func (u *unsent) giveBack(r reader, n int) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.owed[r] -= n; u.owed[r] <= 0 {
		delete(u.owed, r)
	}
}

// full reports whether somebody has so many that no large answer should be made.
func (u *unsent) full(r reader) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.owed[r] > maxUnsent*3/4
}

// turn waits until a request that reads, or brings a file, may begin: each reader has a few of both at a time. Errors:
// RateLimit, that of ctx.
func (x *exchange) turn(ctx context.Context) (done func(), err error) {
	switch {
	case x.s.limits == nil:
		return func() {}, nil
	case x.row.taking().limit > 0:
		return x.s.uploading.Take(ctx, x.who.reader())
	case x.c.Method() != fiber.MethodGet:
		return func() {}, nil
	}
	r := x.who.reader()
	if x.s.unsent.full(r) {
		return nil, unreadAnswers()
	}
	return x.s.reading.Take(ctx, r)
}

func unreadAnswers() error {
	return errs.New(errs.RateLimit, "Read the answers to your earlier requests first").With("retry-after", 1.0)
}

// owe counts the answer until the connection has sent it. Errors: RateLimit.
func (x *exchange) owe() error {
	if x.c == nil || x.s.limits == nil || x.res.IsBodyStream() || len(x.res.Body()) < leastOwing {
		return nil
	}
	n := len(x.res.Body())
	c, ok := x.c.Context().Conn().(*conn)
	if !ok {
		return nil
	}
	r := x.who.reader()
	if !x.s.unsent.take(r, n) {
		x.res.ResetBody()
		return unreadAnswers()
	}
	paid := func() { x.s.unsent.giveBack(r, n) }
	c.owe(&paid)
	return nil
}
