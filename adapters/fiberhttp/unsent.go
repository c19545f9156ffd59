package fiberhttp

import (
	"sync"

	"github.com/stoachat/stoa/domain/errs"
)

// The bytes of answers that somebody has not read yet. One answer may be as large as it is; while it is being sent, others may
// be until all together have maxUnsent. What fits into the buffers of the network is not counted.
const (
	maxUnsent  = 32 << 20
	leastOwing = 64 << 10
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
		return errs.New(errs.RateLimit, "Read the answers to your earlier requests first").With("retry-after", 1.0)
	}
	c.owe(func() { x.s.unsent.giveBack(r, n) })
	return nil
}
