package fiberhttp

import (
	"context"
	"sync"

	"github.com/stoachat/stoa/modules/kit"
)

// polls holds requests whose answer is not there yet. It knows nothing of what they wait for: a poll is held until the
// answer is ready, the client is gone, or the server stops, in which case all are answered at once. There are two
// forms: parked (park.go), which costs next to nothing, and plain, in which the handler's goroutine waits.
type polls struct {
	s     *Server
	watch *watcher
	parks bool // false: all are held in the plain form

	mu       sync.Mutex
	stopping bool
	held     map[*poll]struct{}
	desk     desk
}

func newPolls(s *Server) (*polls, error) {
	w, err := newWatcher()
	return &polls{s: s, watch: w, parks: canPark, held: map[*poll]struct{}{}, desk: desk{serving: map[*conn]struct{}{}}}, err
}

// poll is one of them. It goes from waiting to not waiting once per kit.Wait, by whatever comes first.
type poll struct {
	all    *polls
	x      *exchange
	wait   *kit.Wait
	forget func() // ends the watching of its client

	// guarded by all.mu
	turn    int // of waits; what wakes an earlier one is too late
	waiting bool
	left    bool          // the client has gone
	bell    chan struct{} // of the plain form; rings when waiting ends
	parked  *parked       // of the other, once fasthttp has let go of the connection
	next    *poll         // that is to be answered
}

// hold answers when w is ready, with as little in memory until then as can be.
func (x *exchange) hold(w *kit.Wait) {
	x.in, x.view, x.held = nil, nil, true
	p := &poll{all: x.s.polls, x: x}
	p.begin(w)
	if !p.park() {
		p.block()
	}
}

// begin waits for w. Nothing of p may be touched after it by who has let go of it.
func (p *poll) begin(w *kit.Wait) {
	a := p.all
	a.mu.Lock()
	p.wait, p.waiting = w, true
	p.turn++
	turn := p.turn
	a.held[p] = struct{}{}
	a.mu.Unlock()

	w.Wake(func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		if turn == p.turn {
			p.rouse()
		}
	})

	a.mu.Lock()
	defer a.mu.Unlock()
	if turn == p.turn && (p.left || a.stopping) {
		p.rouse()
	}
}

// rouse ends the waiting. The lock is held, and nothing here takes time: whoever wakes a poll has others to wake.
func (p *poll) rouse() {
	if !p.waiting {
		return
	}
	p.waiting = false
	switch {
	case p.bell != nil:
		p.bell <- struct{}{}
	case p.parked != nil:
		p.all.due(p)
	}
}

// leave is told that the client has gone.
func (p *poll) leave() {
	p.all.mu.Lock()
	defer p.all.mu.Unlock()
	p.left = true
	p.rouse()
}

// advance runs when p has been roused: it answers, unless there is nothing to be answered after all.
func (p *poll) advance() (over bool) {
	p.all.mu.Lock()
	left := p.left
	p.all.mu.Unlock()
	if left {
		p.x.gone = true
		if p.wait.Gone != nil {
			p.wait.Gone()
		}
		return true
	}
	ctx, cancel := context.WithTimeout(p.x.s.base, p.x.s.cfg.HandlerTimeout)
	defer cancel()
	res, err := p.wait.Answer(ctx)
	if again, ok := res.(*kit.Wait); ok && again != nil && err == nil {
		p.begin(again)
		return false
	}
	p.x.answer(res, err)
	return true
}

// end forgets p, which has been answered.
func (p *poll) end() {
	p.all.mu.Lock()
	delete(p.all.held, p)
	p.waiting, p.wait = false, nil
	p.all.mu.Unlock()
	if p.forget != nil {
		p.forget()
	}
}

// block is the plain form.
func (p *poll) block() {
	defer p.end()
	bell := make(chan struct{}, 1)
	p.all.mu.Lock()
	p.bell = bell
	if !p.waiting {
		bell <- struct{}{}
	}
	p.all.mu.Unlock()
	p.forget = p.all.watch.add(p.x.c.Context().Conn(), p.leave)
	for range bell {
		if p.advance() {
			break
		}
	}
	if p.x.gone || p.all.ends() {
		p.x.c.Context().SetConnectionClose()
	}
}

// stop answers all that is held, and from now on everything at once.
func (a *polls) stop() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.stopping = true
	for p := range a.held {
		p.rouse()
	}
	a.desk.hush()
}

// close ends the watcher; nothing may be held then.
func (a *polls) close() { a.watch.close() }
