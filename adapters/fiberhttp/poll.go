package fiberhttp

import (
	"context"
	"net"
	"sync"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/modules/kit"
)

// polls holds requests whose answer is not there yet. It knows nothing of what they wait for: a handler's goroutine waits until
// the answer is ready, the client is gone, or the server stops, in which case all are answered at once.
type polls struct {
	watch    *watcher
	stopping chan struct{}
	once     sync.Once
}

func newPolls() (*polls, error) {
	w, err := newWatcher()
	return &polls{watch: w, stopping: make(chan struct{})}, err
}

// hold waits, and gives the answer; gone is true when there is nobody left to answer.
func (p *polls) hold(ctx context.Context, conn net.Conn, w *kit.Wait) (answer any, gone bool, err error) {
	left, forget := p.watch.add(conn)
	defer forget()
	for {
		ready := make(chan struct{})
		var once sync.Once
		w.Wake(func() { once.Do(func() { close(ready) }) })
		select {
		case <-ready:
		case <-p.stopping:
		case <-left:
			if w.Gone != nil {
				w.Gone()
			}
			return nil, true, nil
		}
		answer, err = w.Answer(ctx)
		next, again := answer.(*kit.Wait)
		if !again || next == nil || err != nil {
			return answer, false, err
		}
		if w = next; p.stopped() {
			return nil, false, errs.New(errs.Unavailable, "The server is stopping; ask again.")
		}
	}
}

// stop answers all that is held, and holds nothing any more.
func (p *polls) stop() { p.once.Do(func() { close(p.stopping) }) }

func (p *polls) stopped() bool {
	select {
	case <-p.stopping:
		return true
	default:
		return false
	}
}

// close ends the watcher; nothing may be held then.
func (p *polls) close() { p.watch.close() }
