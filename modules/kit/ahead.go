package kit

import (
	"context"
	"fmt"
	"sync"
)

// Ahead encodes large parts of an answer while the rest is computed, which mostly waits for the database. The returned
// function queues a value and returns a stand-in to put in the answer. One goroutine encodes queued values in order
// until ctx, the context of the request, ends; values that it has not started are encoded when the answer is. Queued
// values must not change. Their text is temporarily held in memory twice, so Ahead is for answers that clients request
// once.
func Ahead(ctx context.Context) func(Encoded) Encoded {
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

// early is a queued value. The first to claim it encodes it.
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
