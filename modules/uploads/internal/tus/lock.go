package tus

import (
	"context"
	"time"

	"github.com/tus/tusd/v2/pkg/handler"

	"github.com/stoachat/stoa/modules/kit"
)

// NewLock implements handler.Locker.
func (x *request) NewLock(id string) (handler.Lock, error) { return &lock{x, id}, nil }

// acquireLock acquires the lock of an upload for a node. It reports false if another node holds it.
func (x *request) acquireLock(ctx context.Context, id, node string) (bool, error) {
	return kit.Tx(ctx, x.Work, func(ctx context.Context) (bool, error) {
		return x.Store.Lock(ctx, id, node, x.token)
	})
}

// lock is the lock of an upload. At most one request on all nodes holds it.
type lock struct {
	x  *request
	id string
}

// Lock implements handler.Lock. If an earlier request on this node holds the lock, Lock interrupts it, because its
// client has reconnected. A later one is left alone: then it is the client of this request that has reconnected, which
// is not noticed while its body has not been read.
func (l *lock) Lock(ctx context.Context, interrupt func()) error {
	if _, err := l.x.find(ctx, l.id); err != nil {
		return toTusError(err)
	}
	for wait := minLockRetry; ; wait = min(2*wait, maxLockRetry) {
		ok, err := l.try(ctx, interrupt)
		if err != nil {
			return toTusError(err)
		}
		if ok {
			return nil
		}
		select {
		case <-ctx.Done():
			return handler.ErrFileLocked
		case <-time.After(wait):
		}
	}
}

// try takes the lock if no request holds it. It interrupts an earlier request on this node that does.
func (l *lock) try(ctx context.Context, interrupt func()) (bool, error) {
	own := &holder{arrival: l.x.arrival, interrupt: interrupt}
	l.x.mu.Lock()
	other := l.x.held[l.id]
	if other == nil {
		l.x.held[l.id] = own
	}
	l.x.mu.Unlock()
	if other != nil {
		if other.arrival < l.x.arrival {
			l.x.interrupt(other)
		}
		return false, nil
	}
	leased, node, done := l.x.Node.Hold(context.WithoutCancel(ctx))
	ok, err := l.x.acquireLock(ctx, l.id, node)
	if err != nil || !ok {
		done()
		l.forget()
		return false, err
	}
	stop := context.AfterFunc(leased, func() { l.x.interrupt(own) })
	own.release = func() { stop(); done() }
	l.x.own = own
	return true, nil
}

func (l *lock) forget() {
	l.x.mu.Lock()
	defer l.x.mu.Unlock()
	delete(l.x.held, l.id)
}

// interrupt interrupts a request that reads its body.
func (s *Service) interrupt(h *holder) {
	s.mu.Lock()
	reading := h.reading
	s.mu.Unlock()
	if reading {
		h.interrupt()
	}
}

// Unlock implements handler.Lock.
func (l *lock) Unlock() error {
	l.x.own.release()
	l.forget()
	ctx := context.Background() // unlock even if the request was canceled
	return l.x.Work.Do(ctx, func(ctx context.Context) error { return l.x.Store.Unlock(ctx, l.id, l.x.token) })
}
