package reading

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/adapters/bunstore/storetest"
	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/idset"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/readstate"
	"github.com/stoachat/stoa/domain/readstate/readstatetest"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
	messages "github.com/stoachat/stoa/modules/messages/internal/store"
)

// harness is the service on a real database, with the least there can be of a kernel: one transaction at a time, and a view
// that follows the events.
type harness struct {
	t       testing.TB
	db      *bunstore.DB
	service *Service
	rows    *messages.Store // for what other parts of the module do
	ctx     context.Context // carries the open transaction
	realm   realm.ID
	view    *directory.View
	seq     int64
	events  []event.Event

	statements int          // sent
	units      int          // of work begun
	locking    func() error // what others do before the realm's lock is had; nil: nothing

	lastUser    user.ID
	lastChannel channel.ID
	lastDirect  int64
}

func newHarness(t testing.TB) *harness {
	h := &harness{t: t, ctx: context.Background()}
	h.db = storetest.OpenURL(t, bunstore.Config{URL: storetest.URL(t), Observe: func(string) {
		h.statements++
	}})
	if err := h.db.Migrate(h.ctx, []bunstore.Migrations{{Module: "messages", FS: os.DirFS("../..")}}); err != nil {
		t.Fatal(err)
	}
	h.rows = messages.New(h.db, h)
	h.service = New(Needs{DB: h.db, Work: h, Log: h, Directory: h, Hooks: h, Clock: h})
	return h
}

func newRand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 3)) }

func (h *harness) inTx(fn func() error) error {
	tx, _, err := h.db.Begin(context.Background(), bunstore.Changing)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	h.ctx = h.db.With(context.Background(), tx)
	defer func() { h.ctx = context.Background() }()
	if err := fn(); err != nil {
		return err
	}
	return tx.Commit(context.Background())
}

// The ports.

func (h *harness) AfterCommit(ctx context.Context, fn func(context.Context))   { fn(ctx) }
func (h *harness) Run(context.Context, any) error                              { return nil }
func (h *harness) Now() time.Time                                              { return time.Unix(1_700_000_000, 0).UTC() }
func (h *harness) View(context.Context, realm.ID) (*directory.View, error)     { return h.view, nil }
func (h *harness) Verified(context.Context, realm.ID) (*directory.View, error) { return h.view, nil }

func (h *harness) Do(ctx context.Context, fn func(context.Context) error) error {
	h.units++
	return fn(ctx)
}

func (h *harness) Lock(context.Context, realm.ID) (event.Seq, error) {
	var err error
	if fn := h.locking; fn != nil {
		h.locking = nil
		err = fn()
	}
	return event.Seq(h.seq), err
}

func (h *harness) Snapshot(ctx context.Context, _ realm.ID, fn func(context.Context) error) error {
	return fn(ctx)
}

func (h *harness) As(context.Context, realm.ID, []event.Entry) ([]*directory.View, error) {
	return nil, nil
}

func (h *harness) Append(_ context.Context, es ...event.Event) error {
	for _, e := range es {
		h.seq++
		h.view = h.view.Apply(h.seq, e.Changes...)
		h.events = append(h.events, e)
		if e.Type == "update_message" || e.Type == "delete_message" {
			entry := event.Entry{Seq: event.Seq(h.seq), Type: e.Type, Ref: e.Ref}
			if err := h.service.cache.moved(h.ctx, &event.Moved{Realm: h.realm, View: h.view, Entries: []event.Entry{entry}}); err != nil {
				return err
			}
		}
	}
	return nil
}

// populate makes a new realm with the people, channels and direct conversations of each history.
func (h *harness) populate(all []*history) error {
	h.realm++
	h.seq, h.events = 1, nil
	b := &directory.Builder{}
	b.Realm(&realm.Realm{ID: h.realm})
	var members [][2]int64
	for _, x := range all {
		w := readstatetest.World{Protected: map[message.Recipient]bool{}, Direct: map[message.Recipient]user.Set{}}
		for range 5 {
			h.lastUser++
			u := &user.User{ID: h.lastUser, Role: user.Member, Active: true, DeliveryEmail: fmt.Sprint(h.lastUser), FullName: fmt.Sprint(h.lastUser)}
			u.Settings.ResolvedTopicNoticeAutoReadPolicy = "never"
			if x.r.IntN(2) == 0 {
				u.Settings.ResolvedTopicNoticeAutoReadPolicy = "always"
				w.Quiet = append(w.Quiet, u.ID)
			}
			b.User(u)
			w.People = append(w.People, u.ID)
		}
		for range 4 {
			h.lastChannel++
			protected := x.r.IntN(3) == 0
			b.Channel(&channel.Channel{ID: h.lastChannel, Name: fmt.Sprint(h.lastChannel), Private: protected, HistoryPublic: !protected})
			w.Channels = append(w.Channels, message.OfChannel(h.lastChannel))
			w.Protected[message.OfChannel(h.lastChannel)] = protected
		}
		p := w.People
		for _, who := range []user.Set{{p[0]}, {p[0], p[1]}, {p[1], p[2], p[3]}} {
			h.lastDirect++
			w.Direct[message.OfDirect(h.lastDirect)] = who
			for _, u := range who {
				members = append(members, [2]int64{h.lastDirect, int64(u)})
			}
		}
		x.model = readstatetest.New(w)
	}
	h.view = b.View(h.seq)
	return h.inTx(func() error { return h.service.store.insertMembers(h.ctx, members) })
}

func (h *harness) send(steps []*readstatetest.Step) error {
	ids, err := h.service.store.insertMessages(h.ctx, h.realm, steps)
	if err != nil {
		return err
	}
	for i, s := range steps {
		s.Message.ID = ids[i]
	}
	return nil
}

func (h *harness) subscribe(u user.ID, r message.Recipient) error {
	c, _ := r.Channel()
	before := h.seq
	if err := h.service.subscribed(h.ctx, &channel.Subscribed{Realm: h.realm, Channel: c, Users: idset.Of(u), Seq: before}); err != nil {
		return err
	}
	e := event.Event{Realm: h.realm, Type: "subscription"}
	return h.Append(h.ctx, e.Changing(directory.Change{Subs: &directory.Subs{Channel: c, Add: idset.Of(u)}}))
}

func (h *harness) unsubscribe(u user.ID, r message.Recipient) error {
	c, _ := r.Channel()
	if err := h.service.unsubscribed(h.ctx, &channel.Unsubscribed{Realm: h.realm, Channel: c, Users: idset.Of(u), Seq: h.seq}); err != nil {
		return err
	}
	e := event.Event{Realm: h.realm, Type: "subscription"}
	return h.Append(h.ctx, e.Changing(directory.Change{Subs: &directory.Subs{Channel: c, Remove: idset.Of(u)}}))
}

// move moves messages to another channel as an edit does.
func (h *harness) move(s readstatetest.Step, from message.Recipient, toProtected bool) error {
	if err := h.rows.Move(h.ctx, s.IDs, messages.Place{Recipient: s.Channel}); err != nil {
		return err
	}
	if err := h.service.Lost(h.ctx, s.IDs, from, s.Channel); err != nil {
		return err
	}
	edits := make([]message.Edit, len(s.IDs))
	for i, id := range s.IDs {
		edits[i] = message.Edit{Message: id, Seq: h.seq + 1, User: s.User, At: h.Now(), From: from, To: s.Channel, ToProtected: toProtected}
	}
	if err := h.rows.AddEdits(h.ctx, edits); err != nil {
		return err
	}
	return h.Append(h.ctx, event.Event{Realm: h.realm, Type: "update_message"}.About(int64(s.IDs[0])))
}

// remove deletes messages as a deletion does.
func (h *harness) remove(ids []message.ID) error {
	if err := h.service.Removed(h.ctx, ids); err != nil {
		return err
	}
	ms, err := h.rows.Lock(h.ctx, h.realm, ids)
	if err != nil {
		return err
	}
	if err := h.rows.Delete(h.ctx, ms, h.lastUser, h.Now()); err != nil {
		return err
	}
	return h.Append(h.ctx, event.Event{Realm: h.realm, Type: "delete_message"}.About(int64(ids[0])))
}

func stored(s *readstatetest.Sent) message.Message {
	m := message.Message{ID: s.ID, Recipient: s.Recipient, Sender: s.Sender, ReadFor: s.ReadFor}
	if s.Crossed {
		m.Facts = message.Crossed
	}
	if s.Notice {
		m.Notice = 1
	}
	return m
}

// compare looks at what is stored of everybody.
func (h *harness) compare(all []*history) error {
	var us []user.ID
	for _, x := range all {
		us = append(us, x.model.People...)
	}
	st := h.service.store
	states, err := st.States(h.ctx, us, nil)
	if err != nil {
		return err
	}
	owns, err := st.Owns(h.ctx, us)
	if err != nil {
		return err
	}
	flags, err := st.allFlags(h.ctx, us)
	if err != nil {
		return err
	}
	head, err := st.Head(h.ctx)
	if err != nil {
		return err
	}
	rules := map[message.ID]readstate.Message{}
	var ms []message.Message
	for _, x := range all {
		for _, s := range x.model.Messages {
			ms = append(ms, stored(s))
		}
	}
	found, err := h.service.Rules(h.ctx, ms)
	if err != nil {
		return err
	}
	for _, r := range found {
		rules[r.ID] = r
	}
	for _, x := range all {
		for _, u := range x.model.People {
			p := &person{Reader: h.service.reader(h.view, u)}
			if p.Own = *owns[u]; states[u] != nil {
				p.state = *states[u]
			}
			floor := p.state.Floor
			if floor > head || len(p.state.Unread.From(floor+1)) > 0 || len(p.state.Read.From(floor+1)) != len(p.state.Read) {
				return fmt.Errorf("user %d: invariant 8: head %d, %+v", u, head, p.state)
			}
			if err := compareOne(x.model, u, p, flags, rules); err != nil {
				return err
			}
		}
	}
	return nil
}

func compareOne(
	m *readstatetest.Model, u user.ID, p *person, flags map[mine]message.Flag, rules map[message.ID]readstate.Message,
) error {
	var unread []message.ID
	for _, s := range m.Messages {
		row, flag := m.Row(u, s.ID), flags[mine{u, s.ID}]
		rule := rules[s.ID]
		has := p.Own.Received(rule)
		if (has || flag != 0) != (row != nil) {
			return fmt.Errorf("user %d message %d: received %v, flags %b, want %+v", u, s.ID, has, flag, row)
		}
		is := p.Unread(&p.state, rule, flag&message.OldUnread != 0)
		if is {
			unread = append(unread, s.ID)
		}
		if row == nil {
			continue
		}
		if got := (readstatetest.Row{Received: has, Read: !is, Starred: flag&message.Starred != 0}); got != *row {
			return fmt.Errorf("user %d message %d: got %+v, want %+v; state %+v, periods %+v", u, s.ID, got, *row, p.state, p.Own)
		}
	}
	if want := m.Unread(u); !slices.Equal(unread, want) {
		return fmt.Errorf("user %d: unread %v, want %v", u, unread, want)
	}
	return nil
}
