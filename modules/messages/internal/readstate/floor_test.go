package readstate

import (
	"slices"
	"testing"

	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/readstate"
	"github.com/stoachat/stoa/domain/readstate/readstatetest"
)

// A mark raises a floor that is far behind past all messages in memory, and leaves those sent since then unread.
func TestFloorsRiseInMemory(t *testing.T) {
	h, us, first := crowd(t, 2, 3)
	h.service.limits.floorLag, h.service.limits.perMark, h.service.limits.batch = 1, 100, 1
	reader := us[1]
	send := func(many int, after message.ID) []message.ID {
		t.Helper()
		var ids []message.ID
		if err := h.inTx(func() (err error) {
			h.highest += after
			var steps []*readstatetest.Step
			for range many {
				steps = append(steps, &readstatetest.Step{Message: readstatetest.Sent{Recipient: message.OfChannel(1),
					Sender: us[0]}})
			}
			ids, err = h.insert(steps)
			return err
		}); err != nil {
			t.Fatal(err)
		}
		return ids
	}
	check := func(floor message.ID, unread ...message.ID) {
		t.Helper()
		states, err := h.service.states.load(h.ctx, us[1:], nil)
		if err != nil || states[reader] == nil || states[reader].Floor != floor {
			t.Errorf("state %v, want the floor %d, %v", states[reader], floor, err)
		}
		if got, err := h.service.Unread(h.ctx, h.view, reader, nil); err != nil || !slices.Equal(got, unread) {
			t.Errorf("unread %v, want %v, %v", got, unread, err)
		}
	}
	const chunk = 1 << readstate.ChunkBits
	second := send(4, chunk)
	if _, err := h.service.Unread(h.ctx, h.view, reader, nil); err != nil { // reads both chunks into memory
		t.Fatal(err)
	}
	if err := h.markRead(us[1:], second[:1]); err != nil {
		t.Fatal(err)
	}
	check(second[3], slices.Concat(first, second[1:])...)

	third, fourth := send(2, 0), send(3, chunk) // the second chunk in memory lacks the former
	if err := h.markRead(us[1:], append(second[1:2:2], third[1])); err != nil {
		t.Fatal(err)
	}
	check(third[0], slices.Concat(first, second[2:], third[:1], fourth)...)
	if err := h.markRead(us[1:], fourth[:1]); err != nil {
		t.Fatal(err)
	}
	check(fourth[2], slices.Concat(first, second[2:], third[:1], fourth[1:])...)
}
