package events

import (
	"testing"
	"time"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

func TestIdleQueuesEnd(t *testing.T) {
	w := newFakeKernel(6)
	n := w.start(t, onlyNotes)
	kept, held, gone, short := n.client(t, 1, registerReq{}), n.client(t, 1, registerReq{}), n.client(t, 1, registerReq{}),
		n.client(t, 1, registerReq{IdleQueueTimeout: ptr("30")})
	h := held.hold()
	for range 11 {
		w.advance(time.Minute)
		must(t, n.sweep(t.Context()))
		must(t, n.save(t.Context()))
		must(t, n.expire(t.Context()))
		kept.poll()
		h = pollAgain(held, h)
	}
	for _, c := range []*client{gone, short} {
		_, err := c.pollFrom(c.last, true)
		wantCode(t, err, errs.BadEventQueue, "queue_id", c.queue)
	}
	if len(w.rows) != 2 {
		t.Errorf("%d rows", len(w.rows))
	}
	b := w.start(t, onlyNotes)
	kept.on(b).poll()
	held.on(b).poll()
}

// pollAgain polls again if the response was a heartbeat.
func pollAgain(c *client, h *heldPoll) *heldPoll {
	if h.ready.Load() == 0 {
		return h
	}
	h.answer()
	return c.hold()
}

func TestRevokedPollsEnd(t *testing.T) {
	w := newFakeKernel(6)
	n := w.start(t, onlyNotes)
	change := func(u user.ID, edit func(*user.User)) event.Event {
		old := w.views[w.head()].User(u)
		now := *old
		edit(&now)
		return noteEvent.To(1, event.Everyone(), note{"changed"}).Changing(directory.OfUser(old, &now))
	}
	key, off, same := n.client(t, 1, registerReq{}), n.client(t, 2, registerReq{}), n.client(t, 3, registerReq{})
	hk, ho, hs := key.hold(), off.hold(), same.hold()
	w.log(change(1, func(u *user.User) { u.Keys = []user.KeyHash{"other"} }))
	hk.refused(errs.Unauthorized)
	wantTexts(t, key.next(), "changed") // the queue continues with the new key
	wantTexts(t, ho.answer(), "changed")
	ho = off.hold()
	must(t, n.userDeactivated(t.Context(), &user.Deactivated{Realm: 1, User: 2}))
	w.log(change(2, func(u *user.User) { u.Active = false }))
	ho.refused(errs.Unauthorized)
	if _, there := w.rows[off.queue]; there {
		t.Error("the queue survived its user's deactivation")
	}
	w.log(change(2, func(u *user.User) { u.Active = true }))
	_, err := off.pollFrom(off.last, true)
	wantCode(t, err, errs.BadEventQueue, "queue_id", off.queue)
	wantTexts(t, hs.answer(), "changed", "changed", "changed")
	h := same.hold()
	w.log(change(3, func(u *user.User) { u.Keys = append([]user.KeyHash{"new"}, u.Keys...) }))
	wantTexts(t, h.answer(), "changed") // an additional key ends nothing
}

func TestQueuesOfDeactivatedRealm(t *testing.T) {
	w := newFakeKernel(6)
	n, other := w.start(t, onlyNotes), w.start(t, onlyNotes)
	local, remote := n.client(t, 1, registerReq{}), other.client(t, 5, registerReq{})
	deaf, idle := n.client(t, 2, registerReq{EventTypes: &[]string{"no_such"}}), n.client(t, 3, registerReq{})
	hh, hf, hd := local.hold(), remote.hold(), deaf.hold()
	old := w.views[w.head()].Realm()
	now := *old
	now.Deactivated = true
	must(t, n.realmDeactivated(t.Context(), &realm.Deactivated{Realm: 1}))
	w.log(noteEvent.To(1, event.Everyone(), note{"ended"}).Changing(directory.OfRealm(old, &now)))
	wantTexts(t, hh.answer(), "ended")
	wantTexts(t, hf.answer(), "ended")
	hd.refused(errs.RealmDeactivated)
	if len(w.rows) != 0 {
		t.Errorf("%d queues are left", len(w.rows))
	}
	for _, c := range []*client{local, remote, deaf, idle} { // also after the realm is reactivated
		_, err := c.pollFrom(c.last, true)
		wantCode(t, err, errs.BadEventQueue, "queue_id", c.queue)
	}
}

func TestLostAnnouncements(t *testing.T) {
	w := newFakeKernel(6)
	n := w.start(t, onlyNotes)
	c := n.client(t, 1, registerReq{})
	h := c.hold()
	n.notifiesNone = true
	w.log(notes(event.Everyone(), "a")...)
	h.expectHeld()
	must(t, n.sweep(t.Context())) // notices that the view is ahead
	wantTexts(t, h.answer(), "a")
	h = c.hold()
	w.log(notes(event.Everyone(), "b")...)
	n.notifiesNone = false
	w.log(notes(event.Everyone(), "c")...) // announced after a gap
	wantTexts(t, h.answer(), "b", "c")
	n.ignoresEntries = true
	w.log(notes(event.Everyone(), "d")...)
	wantTexts(t, c.next())
	// The client acknowledges an entry that only another node has delivered. This node must catch up instead of
	// rejecting the ID.
	c.last = int64(event.NewID(4, 1))
	_, err := c.pollFrom(c.last, true)
	must(t, err)
	n.ignoresEntries, n.notifiesNone = false, true
	h = c.hold()
	for range 40 { // more than are kept in memory
		w.log(notes(event.To(1), "many")...)
	}
	w.advance(lookEvery)
	must(t, n.sweep(t.Context()))
	if got := h.answer(); len(got) != 40 {
		t.Errorf("%d of 40", len(got))
	}
	w.log(notes(event.To(1), "trimmed before this node saw it")...)
	w.trimmed = w.head()
	fresh := n.client(t, 1, registerReq{})
	n.notifiesNone = false
	w.log(notes(event.To(1), "e")...)
	wantTexts(t, fresh.next(), "e")
}

// TestRestoredLog checks that polls neither hang nor spin if the view is older than events that were delivered, as
// after a restore.
func TestRestoredLog(t *testing.T) {
	w := newFakeKernel(6)
	n := w.start(t, onlyNotes)
	c := n.client(t, 1, registerReq{})
	w.log(notes(event.Everyone(), "a", "b", "c")...)
	c.next()
	h := c.hold()
	w.entries, w.views, n.at = w.entries[:2], w.views[:2], 1
	must(t, n.logAdvanced(t.Context(), &event.LogAdvanced{Realm: 1, View: w.views[1]}))
	h.refused(errs.BadEventQueue)
	_, err := c.pollFrom(c.last, true)
	wantCode(t, err, errs.BadRequest, "", nil)
	wantTexts(t, n.client(t, 1, registerReq{}).next())
}

// After a restore, log positions refer to other entries: earlier queues must register again.
func TestQueuesOfAnotherEpochAreUnknown(t *testing.T) {
	w := newFakeKernel(6)
	n := w.start(t, onlyNotes)
	before := n.client(t, 1, registerReq{})
	w.mu.Lock()
	w.epoch++
	w.mu.Unlock()
	_, err := before.pollFrom(before.last, true)
	wantCode(t, err, errs.BadEventQueue, "queue_id", before.queue)
	n.client(t, 1, registerReq{}).poll()
}
