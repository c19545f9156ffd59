package s3

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// monitor ends operations to which the store does not respond. An operation may take any time while bytes are
// transferred, but waits at most limit without progress, including the library's retries. Time that it spends waiting
// for its caller, such as a client that uploads slowly, does not count.
//
// If an operation ends like this, and the store has not responded to any other one either, the store hangs: operations
// then fail immediately, except one at a time that finds out whether the store responds again. Otherwise the requests
// of all clients would pile up, each for the whole limit.
type monitor struct {
	store   string // what errors call the store
	limit   time.Duration
	answers atomic.Int64 // responses, and pieces of them, received so far
	hangs   atomic.Bool  // changed while mu is locked
	// failures counts failed operations, and the beginning; proven is its value before the last probe that succeeded.
	failures, proven atomic.Int64

	mu      sync.Mutex
	blocked bool // while the store hangs: nobody may try it, because somebody does or just did
}

// trialPause is the time between two trials of a store that hangs, as a fraction of the limit.
const trialPause = 10

type operationKey struct{}

// operation is a call of a method of Store, with all its requests.
type operation struct {
	m       *monitor
	what    string          // what it does with objects, a key of actions; "": nothing
	caller  context.Context // as passed to the method
	stalled context.Context // ends when the store does not respond
	stall   context.CancelCauseFunc
	cancel  context.CancelFunc
	timer   *time.Timer

	mu      sync.Mutex
	waiting bool
	since   int64 // m.answers when it began to wait
}

// begin begins an operation. Use the returned context for all its requests, and call end afterwards. Errors:
// Unavailable.
func (m *monitor) begin(ctx context.Context, what string) (context.Context, *operation, error) {
	if m.hangs.Load() {
		m.mu.Lock()
		refused := m.hangs.Load() && m.blocked
		m.mu.Unlock()
		if refused {
			return ctx, nil, m.unavailable(errHangs)
		}
	}
	o := &operation{m: m, caller: ctx, what: what}
	o.stalled, o.stall = context.WithCancelCause(context.WithoutCancel(ctx))
	ctx, o.cancel = context.WithCancel(context.WithValue(ctx, operationKey{}, o))
	context.AfterFunc(o.stalled, o.cancel)
	o.timer = time.AfterFunc(m.limit, o.expired)
	o.timer.Stop()
	return ctx, o, nil
}

// end ends the operation.
func (o *operation) end() {
	o.pause()
	o.cancel()
	o.stall(context.Canceled)
}

var (
	errHangs     = errors.New("the store does not respond; it is tried again in a moment")
	errNoAnswer  = errors.New("the store has not responded")
	errAbandoned = fmt.Errorf("%w; further requests are not sent", errNoAnswer)
)

// expired runs when the operation has waited for too long.
func (o *operation) expired() {
	o.mu.Lock()
	waiting, since := o.waiting, o.since
	if waiting && o.timer.Stop() { // progress was made just now
		o.timer.Reset(o.m.limit)
		waiting = false
	}
	o.mu.Unlock()
	if !waiting {
		return
	}
	if o.m.answers.Load() == since {
		o.m.hang() // first, so that whoever learns of this failure and tries again is refused
	}
	o.stall(fmt.Errorf("%w for %v", errNoAnswer, o.m.limit))
}

// reason returns the error for a failed operation: the reason for ending it, if the store did not respond, or err.
func (o *operation) reason(err error) error {
	if err != nil && o.stalled.Err() != nil {
		return context.Cause(o.stalled)
	}
	return err
}

// wait begins, or continues after progress, to wait for the store.
func (o *operation) wait() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.waiting, o.since = true, o.m.answers.Load()
	o.timer.Reset(o.m.limit)
}

// pause ends waiting.
func (o *operation) pause() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.waiting = false
	o.timer.Stop()
}

// sent records that the connection has accepted bytes.
func (o *operation) sent() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.waiting {
		o.timer.Reset(o.m.limit)
	}
}

// admit decides whether a request of the operation may be sent. If it returns trial, call release unless the store
// responds.
func (o *operation) admit() (trial bool, err error) {
	if o.stalled.Err() != nil {
		return false, errAbandoned
	}
	if trial, err = o.m.admit(); err != nil {
		o.stall(err) // otherwise the library would try again
	}
	return trial, err
}

func (m *monitor) admit() (trial bool, err error) {
	if !m.hangs.Load() {
		return false, nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.hangs.Load() {
		return false, nil
	}
	if m.blocked {
		return false, errHangs
	}
	m.blocked = true
	return true, nil
}

// hang records that the store hangs.
func (m *monitor) hang() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.hangs.Load() {
		return
	}
	m.hangs.Store(true)
	m.block()
}

// block forbids trials for a while. The caller holds the lock.
func (m *monitor) block() {
	m.blocked = true
	time.AfterFunc(m.limit/trialPause, func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.blocked = false
	})
}

// release ends a trial to which the store has not responded.
func (m *monitor) release() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.hangs.Load() {
		m.block()
	}
}

// heard records that the store responds.
func (m *monitor) heard() {
	m.answers.Add(1)
	if !m.hangs.Load() {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.hangs.Store(false)
	m.blocked = false
}
