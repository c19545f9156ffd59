package fiberhttp

import (
	"context"
	"sync"

	"github.com/stoachat/stoa/modules/kit"
)

// polls holds requests until their response is ready, the client disconnects, or the server stops, which ends all polls
// immediately. It does not depend on what they wait for. A poll is either parked (park.go), which costs almost nothing,
// or blocking, with the handler's goroutine waiting.
type polls struct {
	s     *Server
	watch *watcher
	parks bool // false: all polls block

	mu       sync.Mutex
	stopping bool
	held     map[*poll]struct{}
	workers  pollWorkers
}

func newPolls(s *Server) (*polls, error) {
	w, err := newWatcher()
	return &polls{s: s, watch: w, parks: canPark, held: map[*poll]struct{}{},
		workers: pollWorkers{serving: map[*conn]struct{}{}}}, err
}

// poll is a held request. For each kit.Wait, it is woken once, by whichever event comes first.
type poll struct {
	all     *polls
	x       *request
	wait    *kit.Wait
	unwatch func() // stops watching the client

	// guarded by all.mu
	turn    int // number of waits so far; wake-ups for earlier ones are ignored
	waiting bool
	gone    bool          // the client disconnected
	woken   chan struct{} // for blocking polls: signals that waiting has ended
	parked  *parked       // for parked polls, once fasthttp has released the connection
	next    *poll         // in the queue of polls to respond to
}

// hold responds once w is ready, using as little memory as possible until then.
func (x *request) hold(w *kit.Wait) {
	x.in, x.view, x.held = nil, nil, true
	x.span.Label("stoa.held", "true") // its wait is not part of the trace
	x.endSpan()
	p := &poll{all: x.s.polls, x: x}
	p.begin(w)
	if !p.park() {
		p.block()
	}
}

// begin starts waiting for w. If p is parked, the caller must not touch it afterwards.
func (p *poll) begin(w *kit.Wait) {
	a := p.all
	a.mu.Lock()
	p.wait, p.waiting = w, true
	p.turn++
	turn := p.turn
	a.held[p] = struct{}{}
	a.mu.Unlock()

	w.Notify(func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		if turn == p.turn {
			p.wake()
		}
	})

	a.mu.Lock()
	defer a.mu.Unlock()
	if turn == p.turn && (p.gone || a.stopping) {
		p.wake()
	}
}

// wake ends p's wait. The caller holds the lock; wake must be fast, since there may be many polls to wake.
func (p *poll) wake() {
	if !p.waiting {
		return
	}
	p.waiting = false
	switch {
	case p.woken != nil:
		p.woken <- struct{}{}
	case p.parked != nil:
		p.all.enqueue(p)
	}
}

// disconnected handles the disconnection of the client.
func (p *poll) disconnected() {
	p.all.mu.Lock()
	defer p.all.mu.Unlock()
	p.gone = true
	p.wake()
}

// advance runs after p was woken. It responds, or begins another wait.
func (p *poll) advance() (done bool) {
	p.all.mu.Lock()
	left := p.gone
	p.all.mu.Unlock()
	if left {
		p.x.disconnected = true
		if p.wait.Cancel != nil {
			p.wait.Cancel()
		}
		return true
	}
	ctx, cancel := context.WithTimeout(p.x.s.base, p.x.s.cfg.HandlerTimeout)
	defer cancel()
	res, err := p.result(ctx)
	if next, ok := res.(*kit.Wait); ok && next != nil && err == nil {
		p.begin(next)
		return false
	}
	p.x.respond(res, err)
	return true
}

func (p *poll) result(ctx context.Context) (any, error) {
	p.x.watched(p.x.s.Clock.Now(), nil)
	defer p.x.unwatched()
	return p.wait.Result(ctx)
}

// end removes p after the response.
func (p *poll) end() {
	p.all.mu.Lock()
	delete(p.all.held, p)
	p.waiting, p.wait = false, nil
	p.all.mu.Unlock()
	if p.unwatch != nil {
		p.unwatch()
	}
}

// block waits in the handler's goroutine.
func (p *poll) block() {
	defer p.end()
	wakeups := make(chan struct{}, 1)
	p.all.mu.Lock()
	p.woken = wakeups
	if !p.waiting {
		wakeups <- struct{}{}
	}
	p.all.mu.Unlock()
	p.unwatch = p.all.watch.add(p.x.c.Context().Conn(), p.disconnected)
	for range wakeups {
		if p.advance() {
			break
		}
	}
	if p.x.disconnected || p.all.isStopping() {
		p.x.c.Context().SetConnectionClose()
	}
}

// stop ends all held polls with a response. From then on, new polls get a response immediately.
func (a *polls) stop() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.stopping = true
	for p := range a.held {
		p.wake()
	}
	a.workers.closeIdle()
}

// close stops the watcher. No polls may be held.
func (a *polls) close() { a.watch.close() }
