package pushrelay

import (
	"sync"
	"time"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/relay"
)

// limits counts the servers' usage on this node. It has an entry for each server that has been authenticated since the
// node started, so it cannot grow larger than the list of servers.
type limits struct {
	mu      sync.Mutex
	servers map[string]*usage
}

type usage struct {
	calls         int // number of calls in progress
	registrations relay.Bucket
	notifications relay.Bucket
}

// of returns the entry of a server. The caller must hold mu.
func (l *limits) of(server string) *usage {
	u := l.servers[server]
	if u == nil {
		u = &usage{}
		l.servers[server] = u
	}
	return u
}

// begin counts a call that starts. It reports false if the server already has maxCalls calls in progress. The caller
// must call end when the call is complete.
func (l *limits) begin(server string, maxCalls int) (end func(), ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	u := l.of(server)
	if u.calls >= maxCalls {
		return nil, false
	}
	u.calls++
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		u.calls--
	}, true
}

// take consumes n units of a quota. Errors: RateLimit.
func (l *limits) take(server string, which func(*usage) *relay.Bucket, q relay.Quota, n int, now time.Time) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	wait, ok := which(l.of(server)).Take(q, n, now)
	if ok {
		return nil
	}
	seconds := int((wait + time.Second - 1) / time.Second)
	return errs.New(errs.RateLimit, "The quota of this server is used up.").With("retry-after", seconds)
}

func registrations(u *usage) *relay.Bucket { return &u.registrations }
func notifications(u *usage) *relay.Bucket { return &u.notifications }
