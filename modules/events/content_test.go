package events

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
)

// split returns one event per word.
func split(_ context.Context, _ *directory.View, _ event.Client, p any) []any {
	var out []any
	for _, s := range strings.Fields(p.(*note).Text) {
		out = append(out, note{s})
	}
	return out
}

func messageEvents(w *fakeKernel, n *counts) (func(id int64, c channel.ID, content string), []kit.AnyEvent) {
	typ := texts(w, n)
	return func(id int64, c channel.ID, content string) {
		w.mu.Lock()
		w.texts[id] = content
		w.mu.Unlock()
		w.log(typ.To(1, event.Subscribers(c), text{ID: id, Channel: c}).About(id))
	}, []kit.AnyEvent{typ.Any(), noteEvent.Any()}
}

func narrowTo(name string) *json.RawMessage {
	raw := json.RawMessage(`[["channel","` + name + `"]]`)
	return &raw
}

func TestContentIsReadAtDelivery(t *testing.T) {
	w, n := newFakeKernel(6), &counts{}
	send, types := messageEvents(w, n)
	a := w.start(t, types)
	html, plain := a.client(t, 1, registerReq{ApplyMarkdown: ptr(true)}), a.client(t, 2, registerReq{})
	send(1, 2, "x")
	send(2, 2, "y")
	send(3, 2, "z")
	wantTexts(t, html.poll(), "<p>x</p>", "<p>y</p>", "<p>z</p>")
	wantTexts(t, plain.poll(), "x", "y", "z")
	if n.late.Load() != 1 || n.shaped.Load() != 6 {
		t.Errorf("read %d times, encoded %d times", n.late.Load(), n.shaped.Load())
	}
	w.texts[1] = "edited"
	delete(w.texts, 2)
	w.log(notes(event.None(), "an edit")...)
	wantTexts(t, plain.poll(), "edited", "z")
	if n.late.Load() != 2 {
		t.Errorf("read %d times", n.late.Load())
	}
}

func TestNoContentWithoutCurrentAccess(t *testing.T) {
	w, n := newFakeKernel(6), &counts{}
	send, types := messageEvents(w, n)
	a := w.start(t, types)
	stays, leaves := a.client(t, 1, registerReq{}), a.client(t, 2, registerReq{})
	send(1, 2, "secret")
	send(2, 1, "public")
	wantTexts(t, leaves.poll(), "secret", "public")
	w.log(event.Event{Realm: 1, Type: "note", Op: "set", To: event.None(), Payload: note{}, Changes: []directory.Change{
		{Subs: &directory.Subs{Channel: 2, Remove: user.Set{2}}}, {Subs: &directory.Subs{Channel: 1, Remove: user.Set{2}}},
	}})
	send(3, 2, "later")
	for _, node := range []*node{a, w.start(t, types)} {
		wantTexts(t, leaves.on(node).withoutRestart(), "public") // received, and readable by all members
		wantTexts(t, stays.on(node).withoutRestart(), "secret", "public", "later")
	}
}

func TestWideQueues(t *testing.T) {
	w, n := newFakeKernel(6), &counts{}
	send, types := messageEvents(w, n)
	a := w.start(t, types)
	all, plain := a.client(t, 3, registerReq{AllPublicStreams: ptr(true)}), a.client(t, 3, registerReq{})
	one, two := a.client(t, 1, registerReq{Narrow: narrowTo("one")}), a.client(t, 1, registerReq{Narrow: narrowTo("two")})
	guest := a.client(t, 5, registerReq{Narrow: narrowTo("one")})
	ha, hp, h1, h2 := all.hold(), plain.hold(), one.hold(), two.hold()
	send(1, 1, "public")
	wantTexts(t, ha.answer(), "public")
	wantTexts(t, h1.answer(), "public")
	wantTexts(t, guest.next(), "public") // addressed to the guest
	hp.expectHeld()
	h2.expectHeld() // woken without events, keeps waiting
	send(2, 2, "private")
	wantTexts(t, h2.answer(), "private")
	wantTexts(t, all.next())
	wantTexts(t, plain.next())
	w.log(notes(event.Everyone(), "n")...)
	wantTexts(t, two.next(), "n") // a narrow filters only messages
	w.log(event.Event{Realm: 1, Type: "note", Op: "set", To: event.None(), Payload: note{}, Changes: []directory.Change{
		{Subs: &directory.Subs{Channel: 1, Remove: user.Set{5}}},
	}})
	guest.next()
	send(3, 1, "not for the guest")
	wantTexts(t, guest.next())
}

func TestEchoOnlyInTheQueueThatSent(t *testing.T) {
	w, n := newFakeKernel(6), &counts{}
	typ := texts(w, n)
	a := w.start(t, []kit.AnyEvent{typ.Any()})
	mine, other := a.client(t, 1, registerReq{}), a.client(t, 1, registerReq{})
	w.texts[1] = "x"
	w.log(typ.To(1, event.Subscribers(1), text{ID: 1, Channel: 1, Queue: mine.queue}))
	if got := mine.next(); got[0].Local != "echo" {
		t.Errorf("%v", got)
	}
	if got := other.next(); got[0].Local != "" || got[0].Flags == nil {
		t.Errorf("%v", got)
	}
	if n.shaped.Load() != 1 {
		t.Errorf("encoded %d times", n.shaped.Load())
	}
}

func TestOneMessageForAThousandQueuesIsReadAndEncodedOnce(t *testing.T) {
	w, n := newFakeKernel(1006), &counts{}
	send, types := messageEvents(w, n)
	a := w.start(t, types)
	var all []*heldPoll
	for u := user.ID(7); u <= 1006; u++ {
		all = append(all, a.client(t, u, registerReq{}).hold())
	}
	send(1, 1, "x")
	answered := 0
	for answered < len(all) { // each woken poll wakes others
		before := answered
		for i, h := range all {
			if h != nil && h.ready.Load() > 0 {
				wantTexts(t, h.answer(), "x")
				all[i] = nil
				answered++
			}
		}
		if answered == before {
			t.Fatalf("%d of %d polls were never answered", len(all)-answered, len(all))
		}
	}
	if n.late.Load() != 1 || n.shaped.Load() != 1 {
		t.Errorf("read %d times, encoded %d times", n.late.Load(), n.shaped.Load())
	}
}

func TestUnansweredPollsDoNotBlockOthers(t *testing.T) {
	w, n := newFakeKernel(106), &counts{}
	send, types := messageEvents(w, n)
	a := w.start(t, types)
	var all []*heldPoll
	for u := user.ID(7); u <= 106; u++ {
		all = append(all, a.client(t, u, registerReq{}).hold())
	}
	send(1, 1, "x")
	must(t, a.sweep(t.Context())) // no poll has responded yet
	for _, h := range all {
		wantTexts(t, h.answer(), "x")
	}
}

// TestStateByEventsIsTheFreshState applies random changes to snapshots taken at random times, on two nodes, with polls
// at random times, and compares the result with a fresh snapshot.
func TestStateByEventsIsTheFreshState(t *testing.T) {
	type state struct {
		Names map[user.ID]string
		Subs  map[channel.ID]bool
	}
	type named struct {
		User user.ID `json:"user"`
		Name string  `json:"name"`
	}
	type subscribed struct {
		Channel channel.ID `json:"channel"`
		In      bool       `json:"in"`
	}
	names, subs := kit.Event[named]("realm_user", "update"), kit.Event[subscribed]("subscription", "")
	types := []kit.AnyEvent{names.Any(), subs.Any()}
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 1))
		w := newFakeKernel(6)
		nodes := []*node{w.start(t, types), w.start(t, types)}
		fresh := func(u user.ID) state {
			v := w.views[w.head()]
			s := state{map[user.ID]string{}, map[channel.ID]bool{}}
			for x := range v.Users() {
				s.Names[x.ID] = x.FullName
			}
			for _, c := range v.Subscriptions(u) {
				s.Subs[c] = true
			}
			return s
		}
		fold := func(s state, raw []byte) {
			var all []struct {
				Type string `json:"type"`
				named
				subscribed
			}
			must(t, json.Unmarshal(raw, &all))
			for _, e := range all {
				switch {
				case e.Type == "realm_user":
					s.Names[e.User] = e.Name
				case e.Type == "subscription" && e.In:
					s.Subs[e.Channel] = true
				case e.Type == "subscription":
					delete(s.Subs, e.Channel)
				}
			}
		}
		type follower struct {
			*client
			state state
		}
		var all []*follower
		follow := func(f *follower) {
			res, err := f.pollFrom(f.last, true)
			must(t, err)
			fold(f.state, res.(pollRes).Events)
			f.acknowledge(f.read(res))
		}
		for step := range 200 {
			switch r.IntN(6) {
			case 0:
				u := user.ID(r.IntN(5) + 1)
				all = append(all, &follower{nodes[r.IntN(2)].caughtUp().client(t, u, registerReq{}), fresh(u)})
			case 1, 2:
				u := user.ID(r.IntN(6) + 1)
				old := w.views[w.head()].User(u)
				now := *old
				now.FullName = fmt.Sprint(step)
				w.log(names.To(1, event.Everyone(), named{u, now.FullName}).Changing(directory.OfUser(old, &now)))
			case 3:
				u, c := user.ID(r.IntN(5)+1), channel.ID(r.IntN(2)+1)
				in := !w.views[w.head()].Subscribed(u, c)
				ch := directory.Subs{Channel: c, Remove: user.Set{u}}
				if in {
					ch = directory.Subs{Channel: c, Add: user.Set{u}}
				}
				w.log(subs.To(1, event.To(u), subscribed{c, in}).Changing(directory.Change{Subs: &ch}))
			case 4:
				nodes[r.IntN(2)].notifiesNone = r.IntN(2) == 0
			case 5:
				if len(all) > 0 {
					f := all[r.IntN(len(all))]
					f.client = f.on(nodes[r.IntN(2)])
					follow(f)
				}
			}
		}
		for _, f := range all {
			follow(f)
			if want := fresh(f.actor.User); !reflect.DeepEqual(f.state, want) {
				t.Fatalf("seed %d: user %d has %v, want %v", seed, f.actor.User, f.state, want)
			}
		}
	}
}

func (n *node) caughtUp() *node { n.follow(); return n }
