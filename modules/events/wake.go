package events

import (
	"slices"
	"time"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/session"
	"github.com/stoachat/stoa/domain/user"
)

// fanOut is how many held polls one goroutine wakes. Each of these wakes as many more, so that a sender does not pay
// for ten thousand readers.
const fanOut = 8

// offering is an entry with the receivers not yet looked at.
type offering struct {
	it *item
	to user.Set
}

// offer marks the held polls whose queues the entry is addressed to: immediately if few users are listening, otherwise
// as spread reaches them. Whether the queue really receives an event turns out when its poll answers; if not, the poll
// goes back to waiting.
func (h *hub) offer(it *item) {
	if it.kind == nil || len(h.held) == 0 {
		return
	}
	if it.kind.Beyond {
		for p := range h.wide {
			h.mark(it, p)
		}
	}
	to := it.entry.To
	if u := to.Single(); u != 0 {
		h.mark(it, h.held[u]...)
		return
	}
	if len(h.held) <= 16 {
		for u, ps := range h.held {
			if to.Includes(it.view, u) {
				h.mark(it, ps...)
			}
		}
		return
	}
	all := to.Members(it.view)
	if len(all) <= 8*len(h.held) {
		h.offered = append(h.offered, offering{it, all})
		return
	}
	for u, ps := range h.held {
		if all.Has(u) {
			h.mark(it, ps...)
		}
	}
}

// findWaiting marks polls until n are marked or no receivers are left.
func (h *hub) findWaiting(n int) {
	for len(h.waking) < n && len(h.offered) > 0 {
		o := &h.offered[0]
		for len(h.waking) < n && len(o.to) > 0 {
			h.mark(o.it, h.held[o.to[0]]...)
			o.to = o.to[1:]
		}
		if len(o.to) == 0 {
			h.offered = h.offered[1:]
		}
	}
}

// mark wakes the polls that have not seen the entry and whose queues accept its type.
func (h *hub) mark(it *item, ps ...*poll) {
	for _, p := range ps {
		if p.clean < it.entry.Seq && p.queue.accepts(it.entry.Type) {
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

// revoke ends the polls of users who are no longer active, or whose key or session has ended: they receive nothing from
// this entry on. The queues of deactivated users are already deleted, and are forgotten here, so that a reactivated
// user does not find them.
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
		err := errs.New(errs.Unauthorized, "Account is deactivated")
		if now := c.User.New; now != nil && now.Active {
			if !loses(c.User.Old.Keys, now.Keys) {
				continue
			}
			err = errs.New(errs.Unauthorized, "Invalid API key")
		} else {
			h.disown(c.User.Old.ID)
		}
		for _, p := range h.held[c.User.Old.ID] {
			p.err = err
			h.wake(p)
		}
	}
}

// logOut ends the polls of a session. Other browsers and apps of the same user are unaffected.
func (h *hub) logOut(ended *session.Session) {
	for _, p := range h.held[ended.User] {
		if p.session == ended.ID {
			p.err = errs.NotLoggedIn()
			h.wake(p)
		}
	}
}

// close ends all queues because the realm has been deactivated. Held polls of queues that accept the entry deliver it;
// others, and all later requests, get an error.
func (h *hub) close(entry string) {
	for id, q := range h.queues {
		q.gone = true
		delete(h.queues, id)
		if p := q.held; p != nil && !q.accepts(entry) {
			p.err = errs.New(errs.RealmDeactivated, "This organization has been deactivated")
			h.wake(p)
		}
	}
}

// disown forgets the queues of a user. Held polls are still answered.
func (h *hub) disown(u user.ID) {
	for id, q := range h.queues {
		if q.user == u {
			q.gone = true
			delete(h.queues, id)
		}
	}
}

func loses(old, now []user.KeyHash) bool {
	return slices.ContainsFunc(old, func(k user.KeyHash) bool { return !slices.Contains(now, k) })
}

// wakeSome wakes the next n marked polls, and reports whether there were any.
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
	isLate          // events have arrived already
	isOver          // a newer poll has arrived
	isEnded         // the queue is gone
)

// hold keeps the poll until an entry after clean arrives.
func (h *hub) hold(p *poll, v *directory.View) outcome {
	h.mu.Lock()
	defer h.mu.Unlock()
	q := p.queue
	switch {
	case q.gone:
		return isEnded
	case q.turn != p.turn:
		return isOver
	case h.pos < p.clean: // the log was set back (a restore)
		return isEnded
	case h.pos > p.clean:
		return isLate
	}
	q.held = p
	p.at = len(h.held[q.user])
	h.held[q.user] = append(h.held[q.user], p)
	if u := v.User(q.user); q.beyond() && u != nil && !u.IsGuest() {
		h.wide[p] = struct{}{}
	}
	return isHeld
}

// begin makes the poll the queue's newest, and ends an older one that is held.
func (h *hub) begin(p *poll, now time.Time) {
	h.mu.Lock()
	h.supersede(p.queue)
	p.queue.turn++
	p.turn = p.queue.turn
	p.queue.touch(now)
	h.mu.Unlock()
	h.wakeSome(fanOut)
}

// supersede ends the queue's held poll, if any.
func (h *hub) supersede(q *queue) {
	if old := q.held; old != nil {
		old.over = true
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
	if p.at >= len(all) || all[p.at] != p {
		return // not held
	}
	last := len(all) - 1
	all[p.at], all[last] = all[last], nil
	if last == 0 {
		delete(h.held, q.user)
		return
	}
	if h.held[q.user] = all[:last]; p.at < last {
		all[p.at].at = p.at
	}
}

// forget removes a queue from the hub and ends its poll.
func (h *hub) forget(q *queue) {
	h.supersede(q)
	q.gone = true
	delete(h.queues, q.id())
}
