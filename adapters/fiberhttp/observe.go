package fiberhttp

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/modules/kit"
)

// observers passes descriptions of requests to modules.
type observers struct {
	admit    []observer
	answered []observer
	queue    chan kit.Answered
	skipped  atomic.Int64
	quit     chan struct{}
	done     chan struct{}
}

type observer struct {
	module string
	kit.Requests
}

const (
	maxUnobserved = 1000 // requests that wait for functions Answered
	maxObserving  = time.Second
)

func newObservers(modules *kit.Collected) *observers {
	o := &observers{quit: make(chan struct{}), done: make(chan struct{})}
	for _, m := range modules.Modules {
		if m.Parts.Requests.Admit != nil {
			o.admit = append(o.admit, observer{m.Module, m.Parts.Requests})
		}
		if m.Parts.Requests.Answered != nil {
			o.answered = append(o.answered, observer{m.Module, m.Parts.Requests})
		}
	}
	if len(o.answered) > 0 {
		o.queue = make(chan kit.Answered, maxUnobserved)
	}
	return o
}

func (o *observers) any() bool { return len(o.admit)+len(o.answered) > 0 }

// describe returns what modules may know about a request before it is authenticated.
func (x *request) describe() kit.Request {
	return kit.Request{ID: x.id, Method: x.method, Route: x.routeName(), Address: x.remote, Agent: x.agent}
}

// admitted asks modules whether to serve the request. Errors: theirs; Unavailable if they take too long.
func (x *request) admitted() error {
	all := x.s.observers.admit
	if len(all) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(x.s.base, kit.MaxAdmitting)
	defer cancel()
	r := x.describe()
	for _, o := range all {
		answer := make(chan error, 1)
		go func() { answer <- x.s.ask(ctx, o, r) }()
		select {
		case err := <-answer:
			if err != nil {
				return err
			}
		case <-ctx.Done():
			x.s.Log.Warn("a module takes too long to admit a request", "module", o.module, "request", x.id)
			return errs.New(errs.Unavailable, "The request could not be checked in time; please try again.")
		}
	}
	return nil
}

func (s *Server) ask(ctx context.Context, o observer, r kit.Request) (err error) {
	defer s.Collected.Panics.Recover(o.module, "Requests.Admit", &err)
	return o.Admit(ctx, r)
}

// observe queues the request for modules. It does not wait.
func (x *request) observe(status int) {
	o := x.s.observers
	if o.queue == nil {
		return
	}
	select {
	case o.queue <- kit.Answered{
		Request: x.describe(), Realm: x.actor.Realm, User: x.actor.User, Status: status,
		Took: x.s.Clock.Now().Sub(x.start), Bytes: x.length(),
	}:
	default:
		o.skipped.Add(1)
	}
}

// observeRequests calls the functions of modules until the server stops, and then for the requests that still wait.
func (s *Server) observeRequests() {
	defer close(s.observers.done)
	for {
		select {
		case a := <-s.observers.queue:
			s.answered(a)
		case <-s.observers.quit:
			for len(s.observers.queue) > 0 {
				s.answered(<-s.observers.queue)
			}
			return
		}
	}
}

func (s *Server) answered(a kit.Answered) {
	for _, o := range s.observers.answered {
		if err := s.tell(o, a); err != nil {
			s.Log.Error("a module failed to observe a request", "module", o.module, "request", a.ID, "error", err)
		}
	}
	if n := s.observers.skipped.Swap(0); n > 0 {
		s.Log.Warn("modules are too slow to observe all requests", "left_out", n)
	}
}

func (s *Server) tell(o observer, a kit.Answered) (err error) {
	ctx, cancel := context.WithTimeout(s.base, maxObserving)
	defer cancel()
	defer s.Collected.Panics.Recover(o.module, "Requests.Answered", &err)
	o.Answered(ctx, a)
	return nil
}

// stopObserving waits until all requests have been observed, or ctx ends.
func (s *Server) stopObserving(ctx context.Context) {
	if s.observers.queue == nil {
		return
	}
	close(s.observers.quit)
	select {
	case <-s.observers.done:
	case <-ctx.Done():
	}
}
