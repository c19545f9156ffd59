package fiberhttp

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/ports"
)

// watchInterval is the time between two scans of the running requests.
const watchInterval = time.Second

// watchdog logs requests that run beyond the time limit, while they run. Their contexts have ended by then, so they
// are requests that do not look at them. It also ends requests that stream a file, which have no deadline, when they
// make no progress for that time. Held polls do not run.
type watchdog struct {
	limit time.Duration
	idle  sync.Pool // of *run

	mu    sync.Mutex
	first *run
}

// run is a request while it runs. The watchdog must not read the request itself, which is changing.
type run struct {
	prev, next *run // guarded by watchdog.mu, as is everything below
	id, method string
	route      *route
	session    bool
	realm      realm.ID
	user       user.ID
	since      time.Time // when it began, or when progress was last seen
	reported   time.Duration

	stop     context.CancelFunc // nil: the request has a deadline
	progress *atomic.Int64      // changes while a file is transferred
	seen     int64
	queued   bool // an upload that waits for its user's other uploads, which takes as long as they do
}

// watched adds the request to the running ones. Call unwatched afterwards, before anything else may use the request.
// stop is nil if the request's context has a deadline.
func (x *request) watched(since time.Time, stop context.CancelFunc) {
	w := &x.s.watchdog
	r, ok := w.idle.Get().(*run)
	if !ok {
		r = &run{}
	}
	*r = run{id: x.id, method: x.method, route: x.route, session: x.session, realm: x.actor.Realm, user: x.actor.User,
		since: since, stop: stop}
	if stop != nil {
		r.progress = &bodyOf(x.c.Context()).arrived
	}
	x.run = r
	w.mu.Lock()
	defer w.mu.Unlock()
	if r.next = w.first; r.next != nil {
		r.next.prev = r
	}
	w.first = r
}

// identified records who makes the request.
func (x *request) identified() {
	w := &x.s.watchdog
	w.mu.Lock()
	defer w.mu.Unlock()
	x.run.realm, x.run.user, x.run.session = x.actor.Realm, x.actor.User, x.session
}

// setQueued records whether an upload waits for its user's other uploads. Its client cannot send in the meantime.
func (x *request) setQueued(queued bool) {
	w := &x.s.watchdog
	w.mu.Lock()
	x.run.queued = queued
	w.mu.Unlock()
	if !queued {
		bodyOf(x.c.Context()).resume()
	}
}

func (x *request) unwatched() {
	w, r := &x.s.watchdog, x.run
	x.run = nil
	w.mu.Lock()
	if r.next != nil {
		r.next.prev = r.prev
	}
	if r.prev != nil {
		r.prev.next = r.next
	} else {
		w.first = r.next
	}
	w.mu.Unlock()
	*r = run{}
	w.idle.Put(r)
}

// stuckAfter is how long the loop that watches requests may not have turned before the server counts as stuck.
const stuckAfter = 30 * time.Second

// Alive reports whether the server works: whether the loop that watches requests turns, and whether nothing keeps the
// locks of held polls and of running requests.
func (s *Server) Alive() bool {
	last := s.turned.Load()
	return last == 0 || elapsed(s.Clock)-time.Duration(last) < stuckAfter
}

// turn records that the loop turns.
func (s *Server) turn() {
	now := elapsed(s.Clock)
	s.held() // waits for the lock of the polls
	s.turned.Store(max(1, int64(now)))
}

// elapsed returns the time that passes, which does not depend on the clock being set.
func elapsed(c ports.Clock) time.Duration {
	if m, ok := c.(interface{ Elapsed() time.Duration }); ok {
		return m.Elapsed()
	}
	return time.Duration(c.Now().UnixNano())
}

// watchRuns scans the running requests until the server has stopped.
func (s *Server) watchRuns() {
	tick := time.NewTicker(watchInterval)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			for _, r := range s.watchdog.overdue(s.Clock.Now()) {
				s.logRun(r)
			}
			s.turn()
		case <-s.base.Done():
			return
		}
	}
}

// overdue returns copies of the requests to report: those beyond the limit, again each time their duration has doubled.
func (w *watchdog) overdue(now time.Time) []run {
	w.mu.Lock()
	defer w.mu.Unlock()
	var out []run
	for r := w.first; r != nil; r = r.next {
		if r.progress != nil {
			if n := r.progress.Load(); n != r.seen {
				r.seen, r.since, r.reported = n, now, 0
			}
		}
		if r.queued && r.stop != nil {
			continue
		}
		took := now.Sub(r.since)
		if took <= w.limit || took < 2*r.reported {
			continue
		}
		r.reported = took
		if r.stop != nil {
			r.stop()
		}
		out = append(out, *r)
	}
	return out
}

// logRun writes the log line of a running request, which contains nothing that the client has sent.
func (s *Server) logRun(r run) {
	attrs := []slog.Attr{slog.String("request", r.id), slog.String("method", r.method),
		slog.String("route", routeName(r.route, r.session)), slog.Int64("realm", int64(r.realm)),
		slog.Duration("running", s.Clock.Now().Sub(r.since)), slog.Duration("limit", s.watchdog.limit)}
	if r.user != 0 {
		attrs = append(attrs, slog.Int64("user", int64(r.user)))
	}
	s.Log.LogAttrs(s.base, slog.LevelWarn, "a request is still running beyond its time limit", attrs...)
}

// progressing returns a context in which ports.Progressed counts as progress of a request that streams a file.
func (x *request) progressing(ctx context.Context) context.Context {
	if !x.route.streams() {
		return ctx
	}
	arrived := &bodyOf(x.c.Context()).arrived
	return ports.WithProgress(ctx, func() { arrived.Add(1) })
}
