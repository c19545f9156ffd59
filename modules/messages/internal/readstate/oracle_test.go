package readstate

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stoachat/stoa/adapters/bunstore/storetest"
	"github.com/stoachat/stoa/app/kittest/testrun"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/readstate"
	"github.com/stoachat/stoa/domain/readstate/readstatetest"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/messages/internal/flags"
	messages "github.com/stoachat/stoa/modules/messages/internal/store"
)

// TestOracle runs many histories side by side, each with its own users and channels. Their concurrent steps reach the
// store in one batch, as in the realm's writer. After every step, everything stored is compared with a row per
// recipient, and once per history the service's answers are compared as well. Half of the users subscribe from the
// start, and users and channels are few, so that a missing rule shows within a few hundred histories.
func TestOracle(t *testing.T) {
	testrun.Unraced(t, "nothing runs concurrently")
	rounds := 60
	switch {
	case storetest.Postgres() && !testrun.Long(): // a round takes four times as long as on SQLite
		rounds = 4
	case storetest.Postgres():
		rounds = 20
	case !testrun.Long(): // a mutation shows within a few hundred histories, and a round has fifty
		rounds = 14
	}
	h := newHarness(t)
	for seed := range uint64(rounds) {
		if err := h.round(seed); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
	}
}

// More histories per round make lookups slower, but share statements.
const (
	parallel = 50
	steps    = 20
)

// history is one of the histories that run side by side.
type history struct {
	r     *rand.Rand
	model *readstatetest.Model
	gone  []message.ID // deleted

	changedNow []message.ID // moved or deleted in this step
}

func (h *harness) round(seed uint64) error {
	r := rand.New(rand.NewPCG(seed, 11))
	pick := func(a, b int) int { return []int{a, b}[r.IntN(2)] }
	*h.service.limits = limits{
		floorLag: message.ID(pick(3, 4096)), batch: pick(3, 20_000), maxByID: pick(0, 500), maxLeaving: pick(0, 20),
		perMark: pick(3, 4096), manyInPlace: pick(0, 2000),
	}
	h.service.limits.window = message.ID(pick(2, 1<<14))
	h.service.limits.wideSpan = []readstate.Chunk{0, 4, 1000}[r.IntN(3)]
	if h.jump = nil; r.IntN(2) == 0 {
		h.jump = r
	}
	h.nodes = r
	all := make([]*history, parallel)
	for i := range all {
		all[i] = &history{r: rand.New(rand.NewPCG(seed, uint64(i)))}
	}
	if err := h.populate(all); err != nil {
		return err
	}
	if err := h.inTx(func() error { return h.begin(all) }); err != nil {
		return err
	}
	for i := range steps {
		if err := h.inTx(func() error { return h.step(all) }); err != nil {
			return fmt.Errorf("step %d: %w", i, err)
		}
		if err := h.inTx(h.restartNodes); err != nil {
			return fmt.Errorf("step %d: %w", i, err)
		}
		if err := h.compare(all); err != nil {
			return fmt.Errorf("after step %d: %w", i, err)
		}
		for n, x := range all {
			if (i+n)%steps == 0 { // once per history
				if err := h.compareWithModel(x); err != nil {
					return fmt.Errorf("after step %d: %w", i, err)
				}
			}
		}
	}
	return nil
}

// restartNodes starts a node without facts in memory or packs the facts of a node.
func (h *harness) restartNodes() error {
	switch h.nodes.IntN(4) {
	case 0:
		h.service.finder.cache = newCache(h.service.finder.facts)
		h.service.finder.cache.packThreshold = 1
	case 1:
		return h.service.packer.pack(h.ctx)
	}
	return nil
}

// begin subscribes half of the users to each channel, so that moves affect users differently.
func (h *harness) begin(all []*history) error {
	for _, x := range all {
		for _, c := range x.model.Channels {
			var us []user.ID
			for _, u := range x.model.People {
				if x.r.IntN(2) == 0 {
					us = append(us, u)
					x.model.Apply(readstatetest.Step{Op: readstatetest.Subscribe, User: u, Channel: c})
				}
			}
			if len(us) > 0 {
				if err := h.subscribe(c, us...); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// step takes one step of each history. Consecutive marks of one history go into the same batch.
func (h *harness) step(all []*history) error {
	var marks []*pending
	var sends []*readstatetest.Step
	var models []*readstatetest.Model
	for _, x := range all {
		var without []readstatetest.Op
		x.changedNow = nil
		for range 3 {
			s := x.model.Next(x.r, without...)
			if s.Op == readstatetest.Send {
				sends, models = append(sends, &s), append(models, x.model)
				break
			}
			if s.Op >= readstatetest.MarkRead && s.Op <= readstatetest.Unstar {
				m, err := h.prepareMark(x, s, len(without) == 0)
				if err != nil {
					return fmt.Errorf("%v: %w", s, err)
				}
				marks = append(marks, m...)
				without = withoutMarks // these do not wait for the batch
				continue
			}
			if err := h.takeOther(x, s); err != nil {
				return fmt.Errorf("%v: %w", s, err)
			}
			break
		}
	}
	if err := h.send(sends, models); err != nil {
		return err
	}
	for some := range slices.Chunk(marks, maxMarks) {
		if err := h.write(some); err != nil {
			return err
		}
	}
	return nil
}

func (h *harness) send(sends []*readstatetest.Step, models []*readstatetest.Model) error {
	if _, err := h.insert(sends); err != nil {
		return err
	}
	for i, s := range sends {
		models[i].Apply(*s)
	}
	return nil
}

// takeOther takes a step other than a mark. Messages that its events report as read must have been unread.
func (h *harness) takeOther(x *history, s readstatetest.Step) error {
	if s.Op == readstatetest.Mute && len(x.model.Messages) > 0 && x.r.IntN(2) == 0 { // overtaken
		first := x.model.Next(x.r, append([]readstatetest.Op{readstatetest.Send}, withoutMoves...)...)
		h.locking = func() error { return h.takeOther(x, first) }
	}
	begun := len(h.events)
	if err := h.change(x, s); err != nil {
		return err
	}
	want := x.model.Apply(s).Changed
	if s.Op == readstatetest.Unsubscribe && h.service.limits.maxLeaving == 0 {
		want = nil
	}
	var got []message.ID
	for _, e := range h.events[begun:] {
		if sent, ok := e.Payload.(flags.Change); ok && e.To.Single() == s.User {
			got = append(got, sent.Messages...)
		}
	}
	if !slices.Equal(got, want) {
		return fmt.Errorf("received %v, want %v", got, want)
	}
	return nil
}

func (h *harness) change(x *history, s readstatetest.Step) (err error) {
	switch s.Op {
	case readstatetest.Subscribe:
		err = h.subscribe(s.Channel, s.User)
	case readstatetest.Unsubscribe:
		err = h.unsubscribe(s.User, s.Channel)
	case readstatetest.Mute:
		err = h.mute(s.User, s.Other, true)
	case readstatetest.Unmute:
		err = h.mute(s.User, s.Other, false)
	case readstatetest.Policy:
		err = h.policy(s.User)
	case readstatetest.Move:
		x.changedNow = append(x.changedNow, s.IDs...)
		err = h.move(s, x.model.Of(s.IDs[0]).Recipient, x.model.Protected[s.Channel])
	case readstatetest.Delete:
		x.gone, x.changedNow = append(x.gone, s.IDs...), append(x.changedNow, s.IDs...)
		err = h.remove(s.IDs)
	}
	return err
}

func nobody(user.ID, message.ID) bool { return false }

// move moves messages to another channel as an edit does.
func (h *harness) move(s readstatetest.Step, from message.Recipient, toProtected bool) error {
	if err := h.rows.Move(h.ctx, s.IDs, messages.Place{Recipient: s.Channel}); err != nil {
		return err
	}
	if err := h.rows.RecordMove(h.ctx, h.realm, s.IDs); err != nil {
		return err
	}
	if _, err := h.flags.DropMoved(h.ctx, h.view, s.IDs, from, s.Channel, nil, nobody); err != nil {
		return err
	}
	edits := make([]message.Edit, len(s.IDs))
	for i, id := range s.IDs {
		edits[i] = message.Edit{Message: id, Seq: h.seq + 1, User: s.User, At: h.Now(), From: from, To: s.Channel,
			ToProtected: toProtected}
	}
	if err := h.rows.Edits.Add(h.ctx, edits); err != nil {
		return err
	}
	return h.Append(h.ctx, event.Event{Realm: h.realm, Type: "update_message"}.About(int64(s.IDs[0])))
}

// remove deletes messages as a deletion does.
func (h *harness) remove(ids []message.ID) error {
	ms, err := h.rows.Lock(h.ctx, h.realm, ids)
	if err != nil {
		return err
	}
	if _, err := h.flags.DropDeleted(h.ctx, h.view, ids, nobody); err != nil {
		return err
	}
	if err := h.rows.Delete(h.ctx, ms, h.lastUser, h.Now()); err != nil {
		return err
	}
	return h.Append(h.ctx, event.Event{Realm: h.realm, Type: "delete_message"}.About(int64(ids[0])))
}
