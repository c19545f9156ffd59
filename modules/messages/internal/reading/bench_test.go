package reading

import (
	"fmt"
	"testing"

	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/readstate/readstatetest"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

// busy makes a realm of 100,000 messages in 200 channels of one person and one direct conversation, half of them unread.
func busy(b *testing.B) (*harness, user.ID) {
	b.Helper()
	h := newHarness(b)
	all := make([]*history, 50)
	for i := range all {
		all[i] = &history{r: newRand(uint64(i))}
	}
	if err := h.populate(all); err != nil {
		b.Fatal(err)
	}
	u := all[0].model.People[0]
	err := h.inTx(func() error {
		var channels []message.Recipient
		for _, x := range all {
			channels = append(channels, x.model.Channels...)
		}
		for _, c := range channels {
			if err := h.subscribe(u, c); err != nil {
				return err
			}
		}
		var read []message.ID
		for n := range 100 {
			var steps []*readstatetest.Step
			for i := range 1000 {
				steps = append(steps, &readstatetest.Step{Message: readstatetest.Sent{Recipient: channels[(n*1000+i*7)%len(channels)], Sender: all[1].model.People[0]}})
			}
			ids, err := h.service.store.insertMessages(h.ctx, h.realm, steps)
			if err != nil {
				return err
			}
			for i, id := range ids {
				if i%2 == 0 {
					read = append(read, id)
				}
			}
		}
		return h.writeMark(&mark{By: u, Realm: h.realm, Op: opRead, IDs: read})
	})
	if err != nil {
		b.Fatal(err)
	}
	return h, u
}

// writeMark writes one mark in the open transaction.
func (h *harness) writeMark(m *mark) error {
	var err error
	if m.Op == opRead {
		if m.Known, err = h.service.store.Facts(h.ctx, m.Realm, m.IDs); err != nil {
			return err
		}
	}
	_, err = h.service.write(h.ctx, h.view, 0, []*ports.Intent{{Value: m}})
	return err
}

// unread_msgs of somebody with 50,000 unread messages, with the facts in memory, and from rows alone.
func BenchmarkUnreadMsgs(b *testing.B) {
	h, u := busy(b)
	a := kit.Actor{Realm: h.realm, User: u}
	run := func(b *testing.B) {
		for range b.N {
			got, err := h.service.unreadSection(h.ctx, a, event.Client{})
			if err != nil || got.UnreadMsgs.Count < 49_000 {
				b.Fatal(got.UnreadMsgs.Count, err)
			}
		}
	}
	b.Run("warm", run)
	b.Run("cold", func(b *testing.B) {
		for range b.N {
			h.service.cache = newCache(h.service.store)
			if _, err := h.service.unreadSection(h.ctx, a, event.Client{}); err != nil {
				b.Fatal(err)
			}
		}
	})
	h.service.limits.few, h.service.limits.wide = 1<<30, 0
	b.Run("rows", run)
}

// One mark of 10,000 and of 100,000 ids.
func BenchmarkMarkRead(b *testing.B) {
	h, u := busy(b)
	ids, err := h.service.Unread(h.ctx, h.view, u)
	if err != nil {
		b.Fatal(err)
	}
	all := ids
	for _, n := range []int{10_000, len(all)} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			known, err := h.service.lookup(h.ctx, h.view, h.realm, all[:n])
			if err != nil {
				b.Fatal(err)
			}
			for range b.N {
				err := h.inTx(func() error {
					_, err := h.service.write(h.ctx, h.view, 0, []*ports.Intent{{Value: &mark{By: u, Realm: h.realm, Op: opRead, IDs: all[:n], Known: known}}})
					return err
				})
				if err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// Sixty-four people who mark one message each, in one batch.
func BenchmarkMarkBatch(b *testing.B) {
	h, us, ids := crowd(b, 65, 2000)
	if err := h.markRead(us, ids[:1]); err != nil {
		b.Fatal(err)
	}
	for i := range b.N {
		if err := h.markRead(us[:64], ids[i%2000:i%2000+1]); err != nil {
			b.Fatal(err)
		}
	}
}
