package readstate

import (
	"slices"
	"testing"

	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/readstate/readstatetest"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/messages/internal/flags"
	"github.com/stoachat/stoa/ports"
)

// The muted user's messages are read before the realm's lock is acquired; later changes still count.
func TestMuteWhileOthersWrite(t *testing.T) {
	for _, far := range []int{3, 20_000} {
		h, us, ids := crowd(t, 2, 10)
		h.service.limits.batch = far
		sender, reader := us[0], kit.Actor{Realm: h.realm, User: us[1]}
		first, err := h.service.finder.facts.byID(h.ctx, h.realm, ids[:1])
		if err != nil || len(first) != 1 {
			t.Fatal(first, err)
		}
		if err := h.markRead(us[1:2], ids[:4]); err != nil {
			t.Fatal(err)
		}
		var later []message.ID
		h.locking = func() error {
			intent := func(o op, ids ...message.ID) *ports.Intent {
				m := &mark{By: reader.User, Realm: h.realm, Op: o, IDs: ids}
				if o == opRead {
					fs, err := h.service.finder.facts.byID(h.ctx, h.realm, ids)
					if err != nil {
						t.Error(err)
					}
					m.Known = selectAll(fs)
				}
				return &ports.Intent{Value: m}
			}
			if _, err := h.service.marker.write(h.ctx, h.view, 0,
				[]*ports.Intent{intent(opUnread, ids[1], ids[3]), intent(opRead, ids[7], ids[8])}); err != nil {
				return err
			}
			var steps []*readstatetest.Step
			for range 7 {
				steps = append(steps, &readstatetest.Step{Message: readstatetest.Sent{Recipient: first[0].Recipient,
					Sender: sender}})
			}
			var err error
			later, err = h.insert(steps)
			return err
		}
		from := len(h.events)
		if err := h.inTx(func() error { return h.mute(reader.User, sender, true) }); err != nil {
			t.Fatal(err)
		}
		want := append([]message.ID{ids[1], ids[3], ids[4], ids[5], ids[6], ids[9]}, later...)
		sent, ok := h.events[len(h.events)-1].Payload.(flags.Change)
		if len(h.events) != from+2 || !ok || !slices.Equal(sent.Messages, want) {
			t.Errorf("far %d: reported %v, want %v", far, sent.Messages, want)
		}
		if got, err := h.service.Unread(h.ctx, h.view, reader.User, nil); err != nil || len(got) != 0 {
			t.Errorf("far %d: unread %v, %v", far, got, err)
		}
	}
}

// Unmuting after a long absence takes several steps.
func TestUnmuteInSteps(t *testing.T) {
	for far, want := range map[int]int{3: 4, 20_000: 1} {
		h, us, ids := crowd(t, 2, 10)
		h.service.limits.batch = far
		reader := kit.Actor{Realm: h.realm, User: us[1]}
		if err := h.inTx(func() error { return h.mute(reader.User, us[0], true) }); err != nil {
			t.Fatal(err)
		}
		h.steps = 0
		if err := h.inTx(func() error { return h.mute(reader.User, us[0], false) }); err != nil {
			t.Fatal(err)
		}
		states, err := h.service.states.load(h.ctx, us[1:], nil)
		if err != nil || h.steps != want || states[us[1]] == nil || states[us[1]].Floor != ids[9] {
			t.Errorf("far %d: %d steps, want %d; %v, %v", far, h.steps, want, states, err)
		}
		if got, err := h.service.Unread(h.ctx, h.view, reader.User, nil); err != nil || len(got) != 0 ||
			h.view.Muted(reader.User).Has(us[0]) {
			t.Errorf("far %d: unread %v, %v", far, got, err)
		}
	}
}
