package tus

import (
	"context"
	"time"

	"github.com/tus/tusd/v2/pkg/handler"

	"github.com/stoachat/stoa/modules/kit"
)

// NewLock implements handler.Locker.
func (x *request) NewLock(id string) (handler.Lock, error) { return &lock{x, id}, nil }

// acquireLock acquires or renews the lock of an upload. It reports false if another request holds it.
func (x *request) acquireLock(ctx context.Context, id string) (bool, error) {
	now := x.Clock.Now()
	return kit.Tx(ctx, x.Work, func(ctx context.Context) (bool, error) {
		return x.Store.Lock(ctx, id, x.token, now, now.Add(lockLease))
	})
}

// lock is the lock of an upload. At most one request on all nodes holds it.
type lock struct {
	x  *request
	id string
}

// Lock implements handler.Lock. If a request on this node holds the lock, Lock interrupts it, because its client has
// reconnected.
func (l *lock) Lock(ctx context.Context, interrupt func()) error {
	if _, err := l.x.find(ctx, l.id); err != nil {
		return toTusError(err)
	}
	for wait := minLockRetry; ; wait = min(2*wait, maxLockRetry) {
		ok, err := l.x.acquireLock(ctx, l.id)
		if err != nil {
			return toTusError(err)
		}
		l.x.mu.Lock()
		var stop func()
		if h := l.x.held[l.id]; ok {
			l.x.own = &holder{interrupt: interrupt, release: l.renew()}
			l.x.held[l.id] = l.x.own
		} else if h != nil && h.reading {
			stop = h.interrupt
		}
		l.x.mu.Unlock()
		if ok {
			return nil
		}
		if stop != nil {
			stop()
		}
		select {
		case <-ctx.Done():
			return handler.ErrFileLocked
		case <-time.After(wait):
		}
	}
}

// renew renews the lock until release is called. If the lock is lost, it gives up; each write checks the token.
func (l *lock) renew() (release func()) {
	return kit.Repeat(lockLease/3, func(ctx context.Context) bool {
		ok, err := l.x.acquireLock(ctx, l.id)
		return ok || err != nil // an error may be temporary
	})
}

// Unlock implements handler.Lock.
func (l *lock) Unlock() error {
	l.x.own.release()
	l.x.mu.Lock()
	delete(l.x.held, l.id)
	l.x.mu.Unlock()
	ctx := context.Background() // unlock even if the request was canceled
	return l.x.Work.Do(ctx, func(ctx context.Context) error { return l.x.Store.Unlock(ctx, l.id, l.x.token) })
}
