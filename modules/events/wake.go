package events

import (
	"slices"
	"time"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/session"
	"github.com/stoachat/stoa/domain/user"
)

// fanOut is the number of held polls that one goroutine wakes. Each woken poll wakes as many more, so that the sender
// of a message need not wake ten thousand polls itself.
const fanOut = 8

// offering is an entry and its receivers whose polls have not been marked yet.
type offering struct {
	it  *item
	to  user.Set
	at  time.Time
	due bool // the hold-back has passed
}

// offer marks the held polls of the users addressed by the entry: immediately if few users have held polls, otherwise
// in steps, in findWaiting. Whether a queue receives an event is decided when its poll responds. If there is none, the
// poll is held again.
func (h *hub) offer(it *item, now time.Time) {
	if it.kind == nil || len(h.held) == 0 {
		return
	}
	o := offering{it: it, at: now}
	if it.kind.BeyondAudience || it.kind.ForFollowers {
		for p := range h.wide {
			if p.queue.beyondAudience(it.kind) {
				h.mark(&o, p)
			}
		}
	}
	to := it.entry.To
	if u := to.Single(); u != 0 {
		h.mark(&o, h.held[u]...)
		return
	}
	if len(h.held) <= 16 {
		for u, ps := range h.held {
			if to.Includes(it.view, u) {
				h.mark(&o, ps...)
			}
		}
		return
	}
	o.to = to.Members(it.view)
	if len(o.to) <= 8*len(h.held) {
		h.offered = append(h.offered, o)
		return
	}
	for u, ps := range h.held {
		if o.to.Has(u) {
			h.mark(&o, ps...)
		}
	}
}

// findWaiting marks polls of pending offerings until n are marked or no receivers are left. If it finds only polls to
// be held back, the rest waits as well.
func (h *hub) findWaiting(n int) {
	most := len(h.delayed) + maxDelayed
	for len(h.waking) < n && len(h.offered) > 0 {
		o := &h.offered[0]
		for len(h.waking) < n && len(o.to) > 0 {
			if len(h.delayed) >= most {
				h.arm()
				return
			}
			h.mark(o, h.held[o.to[0]]...)
			o.to = o.to[1:]
		}
		if len(o.to) == 0 {
			h.offered = h.offered[1:]
		}
	}
}

// mark wakes the polls that have not seen the entry and whose queues accept its type, those of busy queues a moment
// later.
func (h *hub) mark(o *offering, ps ...*poll) {
	for _, p := range ps {
		switch {
		case p.clean >= o.it.entry.Seq || !p.queue.accepts(o.it.entry.Type):
		case !o.due && h.busy(p.queue, o.at):
			h.delay(p)
		default:
			h.wake(p)
		}
	}
}

func (h *hub) wake(p *poll) {
	if !p.woken {
		p.woken = true
		h.waking = append(h.waking, p)
	}
}

func (h *hub) wakeAll() {
	for _, ps := range h.held {
		for _, p := range ps {
			h.wake(p)
		}
	}
}

// revoke ends the polls of users who have been deactivated, and polls whose API key or session has been revoked. They
// receive nothing from this entry on. The rows of a deactivated user's queues have already been deleted; revoke also
// removes the queues from memory, so that they cannot be continued after a reactivation.
func (h *hub) revoke(it *item) {
	for _, c := range it.entry.Changes {
		if c.Realm != nil && c.Realm.New != nil && c.Realm.New.Deactivated {
			h.close(it.entry.Type)
			continue
		}
		if c.Session != nil && c.Session.New == nil {
			h.logOut(c.Session.Old)
		}
		if c.User == nil || c.User.Old == nil {
			continue
		}
		now := c.User.New
		active := now != nil && now.Active
		if !active {
			h.forgetUser(c.User.Old.ID)
		}
		for _, p := range h.held[c.User.Old.ID] {
			switch {
			case !active:
				p.err = user.AccountDeactivated()
			case p.key != "" && !slices.Contains(now.Keys, p.key):
				p.err = errs.New(errs.Unauthorized, "Invalid API key")
			default: // of a browser, or with another key
				continue
			}
			h.wake(p)
		}
	}
}

// logOut ends a session's polls. Other browsers and apps of the same user are unaffected.
func (h *hub) logOut(ended *session.Session) {
	for _, p := range h.held[ended.User] {
		if p.session == ended.ID {
			p.err = errs.NotLoggedIn()
			h.wake(p)
		}
	}
}

// close ends all queues because the realm has been deactivated. A held poll still delivers the entry if its queue
// accepts it. Other polls, and all later requests, receive an error.
func (h *hub) close(entry string) {
	for id, q := range h.queues {
		q.ended = true
		delete(h.queues, id)
		if p := q.held; p != nil && !q.accepts(entry) {
			p.err = errs.New(errs.RealmDeactivated, "This organization has been deactivated")
			h.wake(p)
		}
	}
}

// forgetUser removes a user's queues from the hub. Held polls still respond.
func (h *hub) forgetUser(u user.ID) {
	for id, q := range h.queues {
		if q.user == u {
			q.ended = true
			delete(h.queues, id)
		}
	}
}

// wakeSome wakes up to n marked polls and reports whether there were any.
func (h *hub) wakeSome(n int) bool {
	var ready []func()
	woken := false
	h.mu.Lock()
	for n > 0 {
		if len(h.waking) == 0 {
			h.findWaiting(n)
		}
		if len(h.waking) == 0 {
			break
		}
		last := len(h.waking) - 1
		p := h.waking[last]
		h.waking[last] = nil
		h.waking = h.waking[:last]
		if p.done {
			continue
		}
		n--
		woken, p.fired = true, true
		if p.ready != nil {
			ready = append(ready, p.ready)
		}
	}
	h.mu.Unlock()
	for _, r := range ready {
		r()
	}
	return woken
}

// outcome is the result of hold.
type outcome int

const (
	isHeld  outcome = iota
	isLate          // entries have arrived in the meantime
	isOver          // a newer poll has arrived
	isEnded         // the queue has ended
)

// hold keeps the poll until an entry after clean arrives. If there may be one already, it returns isLate, or with
// holdBack keeps the poll for that time.
func (h *hub) hold(p *poll, v *directory.View, holdBack bool) outcome {
	h.mu.Lock()
	defer h.mu.Unlock()
	q := p.queue
	switch {
	case q.ended:
		return isEnded
	case q.turn != p.turn:
		return isOver
	case h.pos < p.clean: // the log has been restored from a backup
		return isEnded
	case h.pos > p.clean && !holdBack:
		return isLate
	case h.pos > p.clean:
		h.delay(p)
	}
	q.held = p
	p.index = len(h.held[q.user])
	h.held[q.user] = append(h.held[q.user], p)
	if u := v.User(q.user); q.wide() && u != nil && !u.IsGuest() {
		h.wide[p] = struct{}{}
	}
	return isHeld
}

// begin makes the poll the queue's newest one and ends an older held poll. It reports whether the queue is
// busy and there may be events for it. The poll continues where an earlier one with the same cursor ended.
func (h *hub) begin(p *poll, now time.Time) (busy bool) {
	h.mu.Lock()
	busy = h.pos > p.since.Seq() && h.busy(p.queue, now)
	if done := p.queue.scanned; done.since == p.since {
		p.clean = max(p.clean, done.clean)
	}
	h.supersede(p.queue)
	p.queue.turn++
	p.turn = p.queue.turn
	p.queue.touch(now)
	h.mu.Unlock()
	h.wakeSome(fanOut)
	return busy
}

// scanned records that there are no events for the poll up to p.clean.
func (h *hub) scanned(p *poll) {
	h.mu.Lock()
	p.queue.scanned = scan{p.since, p.clean}
	h.mu.Unlock()
}

// supersede ends the queue's held poll, if any.
func (h *hub) supersede(q *queue) {
	if old := q.held; old != nil {
		old.superseded = true
		h.release(old)
		h.wake(old)
	}
}

// release removes a poll from the hub.
func (h *hub) release(p *poll) {
	q := p.queue
	if q.held == p {
		q.held = nil
	}
	delete(h.wide, p)
	all := h.held[q.user]
	if p.index >= len(all) || all[p.index] != p {
		return // not held
	}
	last := len(all) - 1
	all[p.index], all[last] = all[last], nil
	if last == 0 {
		delete(h.held, q.user)
		return
	}
	if h.held[q.user] = all[:last]; p.index < last {
		all[p.index].index = p.index
	}
}

// forget removes a queue from the hub and ends its held poll.
func (h *hub) forget(q *queue) {
	h.supersede(q)
	q.ended = true
	delete(h.queues, q.id())
}
