package readstate

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/readstate"
	"github.com/stoachat/stoa/domain/readstate/readstatetest"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

// newBusyHarness creates a realm with 100,000 messages, half of them unread, in 150 channels and one direct
// conversation of a single user.
func newBusyHarness(b *testing.B) (*harness, user.ID) {
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
			if err := h.subscribe(c, u); err != nil {
				return err
			}
		}
		var read []message.ID
		for n := range 100 {
			var steps []*readstatetest.Step
			for i := range 1000 {
				steps = append(steps, &readstatetest.Step{Message: readstatetest.Sent{Recipient: channels[(n*1000+
					i*7)%len(channels)], Sender: all[1].model.People[0]}})
			}
			ids, err := h.insert(steps)
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
	if m.Op == opRead {
		fs, err := h.service.finder.facts.byID(h.ctx, m.Realm, m.IDs)
		if err != nil {
			return err
		}
		m.Known = selectAll(fs)
	}
	_, err := h.service.marker.write(h.ctx, h.view, 0, []*ports.Intent{{Value: m}})
	return err
}

// BenchmarkUnreadMsgs computes unread_msgs for a user with 50,000 unread messages, from facts in memory and from rows
// alone.
func BenchmarkUnreadMsgs(b *testing.B) {
	h, u := newBusyHarness(b)
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
			h.service.finder.cache = newCache(h.service.finder.facts)
			if _, err := h.service.unreadSection(h.ctx, a, event.Client{}); err != nil {
				b.Fatal(err)
			}
		}
	})
	h.service.limits.maxByID, h.service.limits.wideSpan = 1<<30, 0
	b.Run("rows", run)
}

// BenchmarkMarkRead marks 10,000 and 100,000 IDs in one request.
func BenchmarkMarkRead(b *testing.B) {
	h, u := newBusyHarness(b)
	ids, err := h.service.Unread(h.ctx, h.view, u, nil)
	if err != nil {
		b.Fatal(err)
	}
	all := ids
	for _, n := range []int{10_000, len(all)} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			known, err := h.service.finder.selectIDs(h.ctx, h.service.finder.cache.chunks(h.view, h.realm), all[:n])
			if err != nil {
				b.Fatal(err)
			}
			for range b.N {
				err := h.inTx(func() error {
					_, err := h.service.marker.write(h.ctx, h.view, 0,
						[]*ports.Intent{{Value: &mark{By: u, Realm: h.realm, Op: opRead, IDs: all[:n], Known: known}}})
					return err
				})
				if err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkMarkBatch marks one message for each of 64 users in one batch.
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

// BenchmarkEveryone reads the state of one message for all users of a channel with 100,000 subscribers, as for the
// event of an edit. All users have a floor, and one in ten has unread messages.
func BenchmarkEveryone(b *testing.B) {
	const subscribers = 100_000
	h := newHarness(b)
	one := &history{r: newRand(1)}
	if err := h.populate([]*history{one}); err != nil {
		b.Fatal(err)
	}
	at := one.model.Channels[0]
	var us user.Set
	var ids []message.ID
	err := h.inTx(func() error {
		var steps []*readstatetest.Step
		for n := range subscribers {
			us = append(us, user.ID(1000+n))
		}
		if err := h.subscribe(at, us...); err != nil {
			return err
		}
		for range 100 {
			steps = append(steps, &readstatetest.Step{Message: readstatetest.Sent{Recipient: at, Sender: us[0]}})
		}
		var err error
		if ids, err = h.insert(steps); err != nil {
			return err
		}
		var changes []change
		for i, u := range us {
			now := readstate.State{Floor: ids[i%100]}
			if i%10 == 0 {
				now.Unread = slices.Clone(ids[:i%100+1])
			}
			changes = append(changes, change{User: u, Now: &now})
		}
		if err := h.service.states.save(h.ctx, changes); err != nil {
			return err
		}
		_, err = h.db.From(h.ctx).ExecContext(h.ctx, "ANALYZE") // as a database in use would have been
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	for _, n := range []int{1, 50} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			ms, err := h.rows.ByID(h.ctx, h.realm, ids[:n])
			if err != nil {
				b.Fatal(err)
			}
			for range b.N {
				all, err := h.service.ForAllUsers(h.ctx, h.view, ms...)
				if err != nil {
					b.Fatal(err)
				}
				if got := len(all[ids[0]].Flags(us[1])); got != 1 {
					b.Fatal(got)
				}
			}
		})
	}
	b.Run("holders", func(b *testing.B) {
		ms, err := h.rows.ByID(h.ctx, h.realm, ids[50:51])
		if err != nil {
			b.Fatal(err)
		}
		for range b.N {
			all, err := h.service.ForAllUsers(h.ctx, h.view, ms...)
			if err != nil {
				b.Fatal(err)
			}
			read := 0
			for _, u := range all[ids[50]].Users() {
				if all[ids[50]].Read(u) {
					read++
				}
			}
			if read != 45_000 {
				b.Fatal(read)
			}
		}
	})
}
