package fiberhttp

import (
	"context"
	"sync"

	"github.com/gofiber/fiber/v2"

	"github.com/stoachat/stoa/domain/errs"
)

// Limits on unread responses per reader. A single response may have any size. While it is unread, further ones are sent
// up to maxUnsent bytes in total. Data in network buffers does not count.
const (
	maxUnsent  = 32 << 20
	minCounted = 64 << 10
	maxReads   = 8 // concurrent GET requests per reader; further ones queue
	maxUploads = 4 // concurrent uploads per reader; further ones queue
)

// unsent counts the bytes of unread responses per reader.
type unsent struct {
	mu    sync.Mutex
	bytes map[reader]int
}

// take counts n bytes, and returns false if that would exceed the limit.
func (u *unsent) take(r reader, n int) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	if unread := u.bytes[r]; unread > 0 && unread+n > maxUnsent {
		return false
	}
	u.bytes[r] += n
	return true
}

func (u *unsent) refund(r reader, n int) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.bytes[r] -= n; u.bytes[r] <= 0 {
		delete(u.bytes, r)
	}
}

// nearLimit reports whether a reader has too many unread bytes to begin another large response.
func (u *unsent) nearLimit(r reader) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.bytes[r] > maxUnsent*3/4
}

// acquireSlot waits until the reader's request may run, since each reader may have a limited number of reads and
// uploads at a time. Errors: RateLimit, that of ctx.
func (x *request) acquireSlot(ctx context.Context) (done func(), err error) {
	switch {
	case x.s.limits() == nil:
		return func() {}, nil
	case x.route.fileOptions().limit > 0:
		x.setQueued(true)
		defer x.setQueued(false)
		return x.s.uploading.Acquire(ctx, x.caller.reader())
	case x.c.Method() != fiber.MethodGet:
		return func() {}, nil
	}
	r := x.caller.reader()
	if x.s.unsent.nearLimit(r) {
		return nil, errUnreadResponses()
	}
	return x.s.reading.Acquire(ctx, r)
}

func errUnreadResponses() error {
	return errs.New(errs.RateLimit, "Read the answers to your earlier requests first").With("retry-after", 1.0)
}

// countUnsent counts the response until the connection has sent it. Errors: RateLimit.
func (x *request) countUnsent() error {
	if x.c == nil || x.s.limits() == nil || x.res.IsBodyStream() || len(x.res.Body()) < minCounted {
		return nil
	}
	n := len(x.res.Body())
	c, ok := x.c.Context().Conn().(*conn)
	if !ok {
		return nil
	}
	r := x.caller.reader()
	if !x.s.unsent.take(r, n) {
		x.res.ResetBody()
		return errUnreadResponses()
	}
	fn := func() { x.s.unsent.refund(r, n) }
	c.onSent(&fn)
	return nil
}
