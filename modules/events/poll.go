package events

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"time"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/session"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

// A heartbeat is sent in response to polls held for heartbeat to heartbeat+spread, because clients time out after 90 s.
const (
	heartbeat = 45 * time.Second
	spread    = 10 * time.Second
)

type pollReq struct {
	QueueID     *string `json:"queue_id"`
	LastEventID *int64  `json:"last_event_id"`
	DontBlock   *bool   `json:"dont_block"`
}

type pollRes struct {
	Events  json.RawMessage `json:"events"`
	QueueID string          `json:"queue_id"`

	sent *sent // nil: nothing is measured
}

// poll is one GET /events request that is waiting or about to wait.
type poll struct {
	hub   *hub
	queue *queue
	since event.ID  // last event that the client has received
	clean event.Seq // the queue receives no events up to this entry
	turn  int       // its number among the queue's polls
	due   time.Time // time of the heartbeat
	begun time.Time // zero: nothing is measured

	session session.ID   // session of the client; 0: none
	key     user.KeyHash // API key of the client; "": none

	quick bool // the client has polled a moment before
	held  bool // it was held before it got its response

	// The following fields are guarded by the hub's mutex.
	index        int    // index among the user's held polls
	ready        func() // set by the HTTP server
	delayed      bool   // there may be events, but the queue is busy; the poll is in hub.delayed
	woken        bool   // there may be events; the poll is in hub.waking
	fired        bool   // ready has been called, or will be as soon as it is set
	heartbeatDue bool   // heartbeat due
	superseded   bool   // superseded by a newer poll
	done         bool   // responded, or the client has disconnected
	err          error  // error to respond with
}

// poll handles GET /events. Errors: BadRequest, BadEventQueue, RateLimit.
func (s *service) poll(ctx context.Context, a kit.Actor, in pollReq) (any, error) {
	switch {
	case in.QueueID == nil || *in.QueueID == "":
		return nil, errs.Bad("Missing 'queue_id' argument")
	case in.LastEventID == nil:
		return nil, errs.Bad("Missing 'last_event_id' argument")
	}
	h, err := s.hub(ctx, a.Realm)
	if err != nil {
		return nil, err
	}
	q, err := s.find(ctx, h, a, *in.QueueID)
	if err != nil {
		return nil, err
	}
	if epoch, err := s.Reader.Epoch(ctx, a.Realm); err != nil {
		return nil, err
	} else if epoch != q.epoch {
		return nil, unknown(q.id())
	}
	since, err := s.since(ctx, h, q, *in.LastEventID)
	if err != nil {
		return nil, err
	}
	p := &poll{hub: h, queue: q, since: since, clean: since.Seq(), session: a.Session, key: a.Key}
	if since.Sub() < event.MaxEntrySub { // in the middle of an entry's events
		p.clean--
	}
	now := s.Clock.Now()
	p.due = now.Add(heartbeat + rand.N(spread))
	s.m.begin(p, now)
	busy, dontBlock := h.begin(p, now), in.DontBlock != nil && *in.DontBlock
	return s.serve(ctx, p, dontBlock, busy && !dontBlock)
}

// since checks the client's cursor and records it as acknowledged. Events that are requested again are charged, since
// the limit for polls is meant for clients that make progress. Errors: BadRequest, RateLimit.
func (s *service) since(ctx context.Context, h *hub, q *queue, last int64) (event.ID, error) {
	id := event.ID(last)
	if last == -1 {
		id = q.start
	}
	if id > 0 && id.Seq() > h.position() {
		v, err := s.Directory.Verified(ctx, h.realm)
		if err != nil {
			return 0, err
		}
		if id.Seq() > event.Seq(v.Seq()) {
			return 0, errs.Bad("Event %d was not in this queue", last)
		}
		if err := s.catchUp(ctx, h, v); err != nil {
			return 0, err
		}
	}
	again, ok := q.acknowledge(h, id)
	if !ok {
		return 0, errs.Bad("An event newer than %d has already been pruned!", last)
	}
	return id, ports.Spend(ctx, again)
}

// acknowledge records the last event that the client has received. It returns the bytes of the last response if the
// client requests events of it again. If the client has acknowledged a newer event, ok is false.
func (q *queue) acknowledge(h *hub, last event.ID) (again int, ok bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if last < q.acked {
		return 0, false
	}
	if last >= q.sentTo {
		q.sent = 0
	}
	q.acked = last
	return q.sent, true
}

// serve responds to the poll if there are events for it or if it must not block, and holds it otherwise. With holdBack,
// it holds the poll in any case, without looking for events.
func (s *service) serve(ctx context.Context, p *poll, dontBlock, holdBack bool) (any, error) {
	for {
		out := &eventArray{}
		if !holdBack {
			var err error
			if out, p.clean, err = s.collect(ctx, p.hub, p.queue, p.since, p.clean); err != nil {
				return nil, err
			}
			if out.n == 0 {
				p.hub.scanned(p)
			}
			if err := s.addRestart(ctx, p, out); err != nil {
				return nil, err
			}
			if out.n > 0 || dontBlock {
				return s.respond(p, out), nil
			}
		}
		v, err := s.Directory.View(ctx, p.hub.realm)
		if err != nil {
			return nil, err
		}
		if p.session != 0 && v.Session(p.session) == nil { // the session ended before the poll was held
			return nil, errs.NotLoggedIn()
		}
		switch p.hub.hold(p, v, holdBack) {
		case isOver:
			return p.answer(out), nil
		case isEnded:
			return nil, unknown(p.queue.id())
		case isHeld:
			return &kit.Wait{
				Notify: p.wake,
				Result: func(ctx context.Context) (any, error) { return s.answer(ctx, p) },
				Cancel: func() { s.disconnected(p) },
			}, nil
		}
	}
}

func (p *poll) answer(out *eventArray) pollRes {
	return pollRes{Events: out.array(), QueueID: p.queue.id()}
}

// wake sets the callback to call when a response may be available.
func (p *poll) wake(ready func()) {
	p.hub.mu.Lock()
	p.ready = ready
	fired := p.fired
	p.hub.mu.Unlock()
	if fired {
		ready()
	}
}

// answer returns the response to a woken poll. If the poll was woken by events that its queue does not receive, it is
// held again. If its heartbeat is due or the server is stopping, the response is a heartbeat.
func (s *service) answer(ctx context.Context, p *poll) (any, error) {
	h := p.hub
	h.wakeSome(fanOut)
	h.mu.Lock()
	h.release(p)
	p.done, p.held = true, true
	p.queue.touch(s.Clock.Now())
	err, over, again := p.err, p.superseded, p.fired && !p.heartbeatDue
	h.mu.Unlock()
	switch {
	case err != nil:
		return nil, err
	case over:
		return p.answer(&eventArray{}), nil
	}
	v, err := s.Directory.View(ctx, h.realm)
	if err != nil {
		return nil, err
	}
	if err := s.catchUp(ctx, h, v); err != nil {
		return nil, err
	}
	if again {
		return s.serve(
			ctx,
			&poll{
				hub: h, queue: p.queue, since: p.since, clean: p.clean, turn: p.turn, due: p.due,
				session: p.session, key: p.key, begun: p.begun, quick: p.quick, held: true,
			},
			false,
			false,
		)
	}
	out, clean, err := s.collect(ctx, h, p.queue, p.since, p.clean)
	if err != nil {
		return nil, err
	}
	if out.n == 0 {
		err = s.ephemeral(ctx, h, p.queue, p.since, clean, out, []byte(`,"type":"heartbeat"`))
	}
	return s.respond(p, out), err
}

// ephemeral adds an event that is not in the log. Errors: BadEventQueue if no ID is left for it.
func (s *service) ephemeral(
	ctx context.Context,
	h *hub,
	q *queue,
	since event.ID,
	seq event.Seq,
	out *eventArray,
	fields []byte,
) error {
	h.mu.Lock()
	id := q.ephemeral(seq, since)
	h.mu.Unlock()
	if id == 0 {
		return s.deleteQueue(ctx, h, q)
	}
	out.add(id, fields, nil)
	return nil
}

// disconnected releases the poll of a client that has disconnected.
func (s *service) disconnected(p *poll) {
	h := p.hub
	h.mu.Lock()
	h.release(p)
	p.done = true
	p.queue.touch(s.Clock.Now())
	h.mu.Unlock()
	h.wakeSome(fanOut)
}
