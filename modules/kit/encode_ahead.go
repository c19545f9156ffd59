package kit

import (
	"context"
	"fmt"
	"sync"
)

// EncodeAhead encodes large parts of a response while the rest is computed, which is mostly waiting for the database.
// The returned function queues a value and returns a placeholder for it, to be used in the response. One goroutine
// encodes queued values in order until ctx, the request's context, ends. Values that it has not started by then are
// encoded with the response. Queued values must not change. Their JSON is temporarily held in memory twice, so
// EncodeAhead is for responses that clients rarely request.
func EncodeAhead(ctx context.Context) func(Encoded) Encoded {
	a := &aheadEncoder{ctx: ctx}
	return func(value Encoded) Encoded {
		v := &queuedValue{value: value, size: value.Size(), done: make(chan struct{})}
		a.mu.Lock()
		defer a.mu.Unlock()
		a.waiting = append(a.waiting, v)
		if !a.running {
			a.running = true
			go a.run()
		}
		return v
	}
}

type aheadEncoder struct {
	ctx     context.Context
	mu      sync.Mutex
	waiting []*queuedValue
	running bool
}

func (a *aheadEncoder) run() {
	for v := a.next(); v != nil; v = a.next() {
		if v.claim(byEncoder) {
			v.text, v.err = v.encode(make([]byte, 0, v.size))
			close(v.done)
		}
	}
}

func (a *aheadEncoder) next() *queuedValue {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.waiting) == 0 || a.ctx.Err() != nil {
		a.waiting, a.running = nil, false
		return nil
	}
	v := a.waiting[0]
	a.waiting = a.waiting[1:]
	return v
}

// queuedValue is encoded by the goroutine or by the sender of the response, whichever claims it first.
type queuedValue struct {
	value Encoded
	size  int
	mu    sync.Mutex
	by    claimant
	done  chan struct{} // closed when text and err are set, if claimed byEncoder
	text  []byte
	err   error
}

type claimant int

const (
	byEncoder claimant = iota + 1
	bySender
)

// claim reports whether c must encode the value.
func (e *queuedValue) claim(c claimant) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.by == 0 {
		e.by = c
	}
	return e.by == c
}

func (e *queuedValue) encode(b []byte) (_ []byte, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	return e.value.AppendJSON(b)
}

// Size implements Encoded.
func (e *queuedValue) Size() int { return e.size }

// AppendJSON implements Encoded.
func (e *queuedValue) AppendJSON(b []byte) ([]byte, error) {
	if e.claim(bySender) {
		return e.encode(b)
	}
	<-e.done
	return append(b, e.text...), e.err
}
