package events

import (
	"fmt"
	"testing"
	"time"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
)

var onlyNotes = []kit.AnyEvent{noteEvent.Any()}

func ptr[T any](v T) *T { return &v }

func TestPollRepeatsEventsUntilAcknowledged(t *testing.T) {
	w := newFakeKernel(6)
	n := w.start(t, onlyNotes)
	w.log(notes(event.Everyone(), "before")...)
	c := n.client(t, 1, registerReq{})
	wantTexts(t, c.poll())
	w.log(notes(event.Everyone(), "a", "b")...)
	w.log(notes(event.To(2), "not for 1")...)
	w.log(notes(event.To(1), "c")...)
	first := c.poll()
	wantTexts(t, first, "a", "b", "c")
	wantTexts(t, c.poll(), "a", "b", "c") // not acknowledged yet
	c.last = first[1].ID
	wantTexts(t, c.next(), "c")
	wantTexts(t, c.next())
	if first[0].ID != int64(event.NewID(2, 1)) {
		t.Errorf("id %d", first[0].ID)
	}
}

func TestPollsSurviveRestartAndMove(t *testing.T) {
	w := newFakeKernel(6)
	a := w.start(t, onlyNotes)
	c := a.client(t, 1, registerReq{})
	quiet := a.client(t, 1, registerReq{EventTypes: &[]string{"note"}})
	w.log(notes(event.Everyone(), "a", "b")...)
	before := c.poll()
	w.advance(time.Second)
	a.stop()
	w.log(notes(event.Everyone(), "while down")...)
	w.advance(time.Second)
	b := w.start(t, onlyNotes)
	got := c.on(b).poll()
	wantTexts(t, got, "a", "b", "while down", "restart")
	if got[0].ID != before[0].ID || got[1].ID != before[1].ID {
		t.Errorf("ids changed: %v, %v", before, got)
	}
	w.log(notes(event.Everyone(), "after")...)
	c = c.on(b)
	c.acknowledge(got)
	wantTexts(t, c.next(), "after")
	wantTexts(t, c.next())
	wantTexts(t, quiet.on(b).next(), "a", "b", "while down", "after") // does not accept restart
	other := w.start(t, onlyNotes)
	c = c.on(other)
	w.log(notes(event.Everyone(), "to another node")...)
	wantTexts(t, c.next(), "to another node", "restart")
	wantTexts(t, c.next())
}

// Events that arrive during a poll are not evaluated against an older state. An object that they create would be
// missing there, and the event would never be delivered.
func TestPollUsesStateOfItsEvents(t *testing.T) {
	w := newFakeKernel(6)
	made := kit.Event[text]("made", "").Personal(func(r event.Receiver, _ *text) (any, bool) {
		return nil, r.View.User(7) == nil || r.Head.User(7) != nil
	})
	n := w.start(t, []kit.AnyEvent{made.Any()})
	c := n.client(t, 1, registerReq{})
	for range 2 { // on the first poll the hub is behind, on the second it is up to date
		n.duringPoll = func() {
			w.log(made.To(1, event.Everyone(), text{}).Changing(directory.OfUser(nil,
				&user.User{ID: 7, Active: true, Role: user.Member})))
		}
		if got := c.next(); len(got) != 1 {
			t.Errorf("the client received %v", got)
		}
		w.log(made.To(1, event.Everyone(), text{}).Changing(directory.OfUser(&user.User{ID: 7}, nil)))
		c.next()
	}
}

func TestHeldPollWakes(t *testing.T) {
	w := newFakeKernel(6)
	n := w.start(t, onlyNotes)
	c, other := n.client(t, 1, registerReq{}), n.client(t, 2, registerReq{})
	h, o := c.hold(), other.hold()
	w.log(notes(event.To(1), "x")...)
	wantTexts(t, h.answer(), "x")
	if o.ready.Load() != 0 {
		t.Error("woken by another user's event")
	}
	w.log(notes(event.Everyone(), "y")...)
	wantTexts(t, o.answer(), "y")
	wantTexts(t, c.next(), "y")
}

func TestHeartbeat(t *testing.T) {
	w := newFakeKernel(6)
	n := w.start(t, onlyNotes)
	c := n.client(t, 1, registerReq{EventTypes: &[]string{"note"}})
	for range 3 {
		h := c.hold()
		w.advance(44 * time.Second)
		must(t, n.sweep(t.Context()))
		h.expectHeld()
		w.advance(12 * time.Second)
		must(t, n.sweep(t.Context()))
		wantTexts(t, h.answer(), "heartbeat")
	}
	w.log(notes(event.To(1), "x")...)
	wantTexts(t, c.next(), "x")
	h := c.hold()
	res, err := h.wait.Result(t.Context()) // as on shutdown
	must(t, err)
	wantTexts(t, c.read(res), "heartbeat")
}

func TestNewerPollReleasesTheOlder(t *testing.T) {
	w := newFakeKernel(6)
	n := w.start(t, onlyNotes)
	c := n.client(t, 1, registerReq{})
	old := c.hold()
	newer := c.hold()
	wantTexts(t, old.answer())
	newer.expectHeld()
	w.log(notes(event.Everyone(), "x")...)
	wantTexts(t, newer.answer(), "x")
	gone := c.hold()
	gone.wait.Cancel()
	w.log(notes(event.Everyone(), "y")...)
	wantTexts(t, c.next(), "y")
}

func TestQueueOfAnotherIsUnknown(t *testing.T) {
	w := newFakeKernel(6)
	n := w.start(t, onlyNotes)
	c := n.client(t, 1, registerReq{})
	thief := *c
	thief.actor.User = 2
	_, err := thief.pollFrom(c.last, true)
	wantCode(t, err, errs.BadEventQueue, "queue_id", c.queue)
	mine := err.Error()
	thief.queue = "nowhere"
	_, err = thief.pollFrom(c.last, true)
	wantCode(t, err, errs.BadEventQueue, "queue_id", "nowhere")
	if mine != "Bad event queue ID: "+c.queue {
		t.Error(mine)
	}
	_, err = n.remove(t.Context(), kit.Actor{Realm: 1, User: 2}, removeReq{c.queue})
	wantCode(t, err, errs.BadEventQueue, "queue_id", c.queue)
	wantTexts(t, c.poll())
	h := c.hold()
	_, err = n.remove(t.Context(), c.actor, removeReq{c.queue})
	must(t, err)
	wantTexts(t, h.answer())
	_, err = c.pollFrom(c.last, true)
	wantCode(t, err, errs.BadEventQueue, "queue_id", c.queue)
	_, err = n.remove(t.Context(), c.actor, removeReq{c.queue})
	wantCode(t, err, errs.BadEventQueue, "queue_id", c.queue)
}

func TestCursorRules(t *testing.T) {
	w := newFakeKernel(6)
	n := w.start(t, onlyNotes)
	w.log(notes(event.Everyone(), "old")...)
	c := n.client(t, 1, registerReq{})
	w.log(notes(event.Everyone(), "a", "b", "c")...)
	res, err := c.pollFrom(-1, true)
	must(t, err)
	wantTexts(t, c.read(res), "a", "b", "c")
	for _, bad := range []int64{0, -2, int64(event.NewID(1, 1)), int64(event.NewID(5, 1)), 1 << 62} {
		_, err := c.pollFrom(bad, true)
		wantCode(t, err, errs.BadRequest, "", nil)
	}
	res, err = c.pollFrom(int64(event.NewID(3, 1)), true)
	must(t, err)
	wantTexts(t, c.read(res), "c")
	for _, pruned := range []int64{-1, int64(event.NewID(2, 1)), c.last} {
		_, err := c.pollFrom(pruned, true)
		wantCode(t, err, errs.BadRequest, "", nil)
	}
	for _, in := range []pollReq{{}, {QueueID: &c.queue}, {LastEventID: &c.last}} {
		_, err := n.poll(t.Context(), c.actor, in)
		wantCode(t, err, errs.BadRequest, "", nil)
	}
}

func TestTooFarBehindMeansRegisterAnew(t *testing.T) {
	w := newFakeKernel(6)
	n := w.start(t, onlyNotes)
	trimmed, far, many, near := n.client(t, 1, registerReq{}), n.client(t, 2, registerReq{}),
		n.client(t, 3, registerReq{}), n.client(t, 4, registerReq{})
	var all []event.Event
	for i := range 1600 {
		to := event.To(3)
		if i%100 == 0 {
			to = event.Each(3, 4)
		}
		all = append(all, noteEvent.To(1, to, note{fmt.Sprint(i)}))
	}
	w.log(all...)
	if got := near.next(); len(got) != 16 || got[15].Text != "1500" {
		t.Fatalf("got %v", got)
	}
	_, err := many.pollFrom(many.last, true)
	wantCode(t, err, errs.BadEventQueue, "queue_id", many.queue)
	w.trimmed = 100
	_, err = trimmed.pollFrom(trimmed.last, true)
	wantCode(t, err, errs.BadEventQueue, "queue_id", trimmed.queue)
	if _, there := w.rows[trimmed.queue]; there {
		t.Error("a queue that cannot be resumed still has its row")
	}
	w.trimmed = 0
	w.log(all[:500]...)
	_, err = far.pollFrom(far.last, true)
	wantCode(t, err, errs.BadEventQueue, "queue_id", far.queue)
}

func TestAudienceIsAsOfTheEvent(t *testing.T) {
	w := newFakeKernel(6)
	n := w.start(t, onlyNotes)
	c, other := n.client(t, 1, registerReq{}), n.client(t, 3, registerReq{})
	to := event.Subscribers(1)
	w.log(notes(to, "in")...)
	w.log(noteEvent.To(1, event.None(), note{"hidden"}).Changing(directory.Change{Subs: &directory.Subs{Channel: 1,
		Remove: user.Set{1}, Add: user.Set{3}}}))
	w.log(notes(to, "out")...)
	for name, node := range map[string]*node{"live": n, "restarted": w.start(t, onlyNotes)} {
		t.Run(name, func(t *testing.T) {
			for range 30 { // once from memory, once from the log
				wantTexts(t, c.on(node).withoutRestart(), "in")
				wantTexts(t, other.on(node).withoutRestart(), "out")
				w.log(notes(event.None(), "filler")...)
			}
		})
	}
}

func (c *client) withoutRestart() []seen {
	c.t.Helper()
	all := c.poll()
	if len(all) > 0 && all[len(all)-1].Type == "restart" {
		all = all[:len(all)-1]
	}
	return all
}

func TestEventTypes(t *testing.T) {
	other := kit.Event[note]("other", "")
	topics, muted := kit.Event[note]("user_topic", ""), kit.Event[note]("muted_topics", "")
	w := newFakeKernel(6)
	n := w.start(t, []kit.AnyEvent{noteEvent.Any(), other.Any(), topics.Any(), muted.Any()})
	all, one, none := n.client(t, 1, registerReq{}),
		n.client(t, 1, registerReq{EventTypes: &[]string{"other", "no_such"}}),
		n.client(t, 1, registerReq{EventTypes: &[]string{}})
	both := n.client(t, 1, registerReq{EventTypes: &[]string{"user_topic", "muted_topics"}})
	h := one.hold()
	to := event.Everyone()
	w.log(noteEvent.To(1, to, note{"n"}))
	h.expectHeld()
	w.log(other.To(1, to, note{"o"}), topics.To(1, to, note{"t"}), muted.To(1, to, note{"m"}))
	w.log(event.Event{Realm: 1, Type: "of_a_module_that_is_gone", To: to, Payload: note{"x"}})
	wantTexts(t, h.answer(), "other")
	wantTexts(t, all.next(), "n", "other", "user_topic", "muted_topics")
	wantTexts(t, none.next())
	wantTexts(t, both.next(), "user_topic")
}

func TestSeveralEventsOfOneEntry(t *testing.T) {
	parts := noteEvent.Any()
	parts.Shape = split
	w := newFakeKernel(6)
	n := w.start(t, []kit.AnyEvent{parts})
	c := n.client(t, 1, registerReq{})
	w.log(notes(event.Everyone(), "a b c")...)
	w.log(notes(event.Everyone(), "d")...)
	got := c.poll()
	wantTexts(t, got, "a", "b", "c", "d")
	c.last = got[0].ID
	wantTexts(t, c.poll(), "b", "c", "d")
	c.last = got[2].ID
	wantTexts(t, c.on(w.start(t, []kit.AnyEvent{parts})).withoutRestart(), "d")
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
