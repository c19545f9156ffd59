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
	a := &ahead{ctx: ctx}
	return func(own Encoded) Encoded {
		one := &early{own: own, size: own.Size(), done: make(chan struct{})}
		a.mu.Lock()
		defer a.mu.Unlock()
		a.waiting = append(a.waiting, one)
		if !a.running {
			a.running = true
			go a.run()
		}
		return one
	}
}

type ahead struct {
	ctx     context.Context
	mu      sync.Mutex
	waiting []*early
	running bool
}

func (a *ahead) run() {
	for one := a.next(); one != nil; one = a.next() {
		if one.claim(byAhead) {
			one.text, one.err = one.encode(make([]byte, 0, one.size))
			close(one.done)
		}
	}
}

func (a *ahead) next() *early {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.waiting) == 0 || a.ctx.Err() != nil {
		a.waiting, a.running = nil, false
		return nil
	}
	one := a.waiting[0]
	a.waiting = a.waiting[1:]
	return one
}

// early is a queued value. It is encoded by the goroutine or by the sender of the response, whichever claims it first.
type early struct {
	own  Encoded
	size int
	mu   sync.Mutex
	by   claimant
	done chan struct{} // closed when text and err are set, if claimed byAhead
	text []byte
	err  error
}

type claimant int

const (
	byAhead claimant = iota + 1
	bySender
)

// claim reports whether c must encode the value.
func (e *early) claim(c claimant) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.by == 0 {
		e.by = c
	}
	return e.by == c
}

func (e *early) encode(b []byte) (_ []byte, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	return e.own.AppendJSON(b)
}

// Size implements Encoded.
func (e *early) Size() int { return e.size }

// AppendJSON implements Encoded.
func (e *early) AppendJSON(b []byte) ([]byte, error) {
	if e.claim(bySender) {
		return e.encode(b)
	}
	<-e.done
	return append(b, e.text...), e.err
}
