package reading

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/readstate/readstatetest"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

// Many histories run side by side, each with people and channels of its own: what they do at the same time goes through the
// store together, as in the realm's writer. After every step all that is stored is compared with a row per recipient, and
// what the service answers for some.
func TestOracle(t *testing.T) {
	rounds, beside := 20, 200
	switch {
	case testing.Short():
		rounds = 1
	case underRace: // slower, and there is nothing concurrent here to find
		rounds = 3
	}
	h := newHarness(t)
	for seed := range uint64(rounds) {
		if err := h.round(seed, beside); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
	}
}

// history is one of those that run side by side.
type history struct {
	r     *rand.Rand
	model *readstatetest.Model
}

// pending is a mark that is about to be written, and what is to come of it.
type pending struct {
	step readstatetest.Step
	mark *mark
	want readstatetest.Outcome
}

func (h *harness) round(seed uint64, beside int) error {
	r := rand.New(rand.NewPCG(seed, 11))
	pick := func(a, b int) int { return []int{a, b}[r.IntN(2)] }
	h.service.limits = limits{near: message.ID(pick(3, 4096)), far: pick(3, 20_000), few: pick(0, 500), told: pick(0, 20), wide: 4}
	if r.IntN(3) == 0 {
		h.service.limits.wide = 0
	}
	all := make([]*history, beside)
	for i := range all {
		all[i] = &history{r: rand.New(rand.NewPCG(seed, uint64(i)))}
	}
	if err := h.populate(all); err != nil {
		return err
	}
	for i := range 16 {
		if err := h.inTx(func() error { return h.step(all) }); err != nil {
			return fmt.Errorf("step %d: %w", i, err)
		}
		if err := h.compare(all); err != nil {
			return fmt.Errorf("after step %d: %w", i, err)
		}
	}
	return h.ask(all)
}

// step takes one step of each history; several marks of one follow each other in the same batch.
func (h *harness) step(all []*history) error {
	var marks []*pending
	var sends []*readstatetest.Step
	var models []*readstatetest.Model
	for _, x := range all {
		var without []readstatetest.Op
		for range 3 {
			s := x.model.Next(x.r, without...)
			if s.Op == readstatetest.Send {
				sends, models = append(sends, &s), append(models, x.model)
				break
			}
			from := x.model.Place(s)
			want := x.model.Apply(s)
			if m := h.mark(s); m != nil {
				marks = append(marks, &pending{s, m, want})
				without = append(without, readstatetest.Send, readstatetest.Subscribe, readstatetest.Unsubscribe,
					readstatetest.Mute, readstatetest.Unmute, readstatetest.Move, readstatetest.Delete) // these do not wait for the batch
				continue
			}
			got, err := h.act(s, from, x.model.Protected[s.Channel])
			if s.Op == readstatetest.Unsubscribe && h.service.limits.told == 0 {
				want.Changed = nil
			}
			if err != nil || !slices.Equal(got, want.Changed) {
				return fmt.Errorf("%v: got %v, want %v, %w", s, got, want.Changed, err)
			}
			break
		}
	}
	if err := h.send(sends); err != nil {
		return err
	}
	for i, s := range sends {
		models[i].Apply(*s)
	}
	for some := range slices.Chunk(marks, maxMarks) {
		if err := h.write(some); err != nil {
			return err
		}
	}
	return nil
}

// mark gives the mark that a step is, or nil.
func (h *harness) mark(s readstatetest.Step) *mark {
	in := changeReq{Messages: s.IDs, Op: "add", Flag: "read"}
	switch s.Op {
	case readstatetest.MarkAll:
		return &mark{By: s.User, Realm: h.realm, Op: opReadAll, Name: "read"}
	case readstatetest.MarkRead:
	case readstatetest.MarkUnread:
		in.Op = "remove"
	case readstatetest.Star:
		in.Flag = "starred"
	case readstatetest.Unstar:
		in.Op, in.Flag = "remove", "starred"
	default:
		return nil
	}
	m, err := h.service.asked(h.ctx, kit.Actor{Realm: h.realm, User: s.User}, in)
	if err != nil {
		h.t.Fatal(err)
	}
	return m
}

func (h *harness) write(some []*pending) error {
	in := make([]*ports.Intent, len(some))
	for i, p := range some {
		in[i] = &ports.Intent{Value: p.mark}
	}
	events, err := h.service.write(h.ctx, h.view, event.Seq(h.seq), in)
	if err != nil {
		return err
	}
	if len(events) != len(some) {
		return fmt.Errorf("%d events of %d marks", len(events), len(some))
	}
	for i, p := range some {
		got := readstatetest.Outcome{Changed: p.mark.Changed}
		for _, c := range p.mark.Skipped {
			got.Skipped = append(got.Skipped, message.OfChannel(c))
		}
		told := events[i].Payload.(flagChange)
		if in[i].Err != nil || !slices.Equal(got.Changed, p.want.Changed) || !slices.Equal(got.Skipped, p.want.Skipped) ||
			!slices.Equal(told.Messages, p.want.Changed) || events[i].To.Single() != p.step.User {
			return fmt.Errorf("%v: got %v %w, told %v, want %v", p.step, got, in[i].Err, told, p.want)
		}
	}
	return h.Append(h.ctx, events...)
}

// act does what is no mark, and gives what was told to have been read by it. from is where messages were that move or go.
func (h *harness) act(s readstatetest.Step, from message.Recipient, toProtected bool) (changed []message.ID, err error) {
	begun := len(h.events)
	a := kit.Actor{Realm: h.realm, User: s.User}
	switch s.Op {
	case readstatetest.Subscribe:
		err = h.subscribe(s.User, s.Channel)
	case readstatetest.Unsubscribe:
		err = h.unsubscribe(s.User, s.Channel)
	case readstatetest.Mute:
		_, err = h.service.mute(h.ctx, a, muteReq{s.Other})
	case readstatetest.Unmute:
		_, err = h.service.unmute(h.ctx, a, muteReq{s.Other})
	case readstatetest.Move:
		err = h.move(s, from, toProtected)
	case readstatetest.Delete:
		err = h.remove(s.IDs)
	}
	for _, e := range h.events[begun:] {
		if told, ok := e.Payload.(flagChange); ok && e.To.Single() == s.User {
			changed = append(changed, told.Messages...)
		}
	}
	return changed, err
}

// ask compares what the service answers one person of each history.
func (h *harness) ask(all []*history) error {
	for i, x := range all {
		if i%3 != 0 {
			continue
		}
		u := x.model.People[x.r.IntN(len(x.model.People))]
		want := x.model.Unread(u)
		got, err := h.service.Unread(h.ctx, h.view, u)
		if err != nil || !slices.Equal(got, want) {
			return fmt.Errorf("user %d: unread %v, want %v, %w", u, got, want, err)
		}
		if err := h.askPage(x.model, u); err != nil {
			return err
		}
		if err := h.askWho(x.model); err != nil {
			return err
		}
		section, err := h.service.unreadSection(h.ctx, kit.Actor{Realm: h.realm, User: u}, event.Client{})
		if err != nil {
			return err
		}
		if err := tally(section.UnreadMsgs, want); err != nil {
			return fmt.Errorf("user %d: %w", u, err)
		}
	}
	return nil
}

func (h *harness) askPage(m *readstatetest.Model, u user.ID) error {
	var page []message.Message
	for _, s := range m.Messages {
		if m.Readable(u, s) {
			page = append(page, stored(s))
		}
	}
	got, err := h.service.Of(h.ctx, h.view, u, page)
	if err != nil {
		return err
	}
	for i, msg := range page {
		want := Personal{Flags: []string{"read", "historical"}}
		if row := m.Row(u, msg.ID); row != nil {
			want = Personal{Received: row.Received, Flags: []string{}}
			for name, is := range map[string]bool{"read": row.Read, "starred": row.Starred, "historical": !row.Received} {
				if is {
					want.Flags = append(want.Flags, name)
				}
			}
		}
		slices.Sort(want.Flags)
		if slices.Sort(got[i].Flags); got[i].Received != want.Received || !slices.Equal(got[i].Flags, want.Flags) {
			return fmt.Errorf("user %d message %d: got %v, want %v", u, msg.ID, got[i], want)
		}
	}
	return nil
}

// askWho compares what is answered of each message: who hears of its changes, who has it, and with which flags.
func (h *harness) askWho(m *readstatetest.Model) error {
	var ms []message.Message
	var by []By
	for _, s := range m.Messages {
		ms = append(ms, stored(s))
		for _, u := range m.People {
			by = append(by, By{u, stored(s)})
		}
	}
	if len(ms) == 0 {
		return nil
	}
	audiences, err := h.service.Audiences(h.ctx, h.view, ms)
	if err != nil {
		return err
	}
	everyone, err := h.service.Everyone(h.ctx, h.view, ms...)
	if err != nil {
		return err
	}
	had, err := h.service.Had(h.ctx, by)
	if err != nil {
		return err
	}
	for i, s := range m.Messages {
		var hear, hold user.Set
		for n, u := range m.People {
			row := m.Row(u, s.ID)
			if row != nil {
				hold = append(hold, u)
			}
			if m.Hears(u, s) {
				hear = append(hear, u)
			}
			want := Had{row != nil && row.Received, row != nil}
			if got := had[i*len(m.People)+n]; got != want {
				return fmt.Errorf("user %d message %d: had %+v, want %+v", u, s.ID, got, want)
			}
			p := everyone[s.ID]
			if read := row == nil || row.Read; p.Received(u) != want.Received || p.Has(u) != want.Own || p.Read(u) != read {
				return fmt.Errorf("user %d message %d: everyone says received %v has %v read %v, want %+v", u, s.ID, p.Received(u), p.Has(u), p.Read(u), row)
			}
		}
		if got := audiences[i].Members(h.view); !slices.Equal(got, hear) {
			return fmt.Errorf("message %d in %d: audience %v, want %v", s.ID, s.Recipient, got, hear)
		}
		if got := everyone[s.ID].Holders(); !slices.Equal(got, hold) {
			return fmt.Errorf("message %d in %d: held by %v, want %v", s.ID, s.Recipient, got, hold)
		}
	}
	return nil
}

// tally holds that unread_msgs lists each unread id once, ascending within its conversation.
func tally(m unreadMsgs, want []message.ID) error {
	var lists [][]message.ID
	for _, p := range m.PMs {
		lists = append(lists, p.IDs)
	}
	for _, s := range m.Streams {
		lists = append(lists, s.IDs)
	}
	for _, h := range m.Huddles {
		lists = append(lists, h.IDs)
	}
	var all []message.ID
	for _, l := range lists {
		if len(l) == 0 || !slices.IsSorted(l) {
			return fmt.Errorf("unread_msgs %+v: %v", m, l)
		}
		all = append(all, l...)
	}
	if slices.Sort(all); !slices.Equal(all, want) || m.Count != len(want) {
		return fmt.Errorf("unread_msgs %+v, want %v", m, want)
	}
	return nil
}
