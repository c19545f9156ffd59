package readstate

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
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
	"github.com/stoachat/stoa/modules/messages/internal/audience"
	"github.com/stoachat/stoa/modules/messages/internal/flags"
	"github.com/stoachat/stoa/modules/messages/internal/inbox"
	"github.com/stoachat/stoa/modules/messages/internal/kernel"
	messages "github.com/stoachat/stoa/modules/messages/internal/store"
	"github.com/stoachat/stoa/modules/messages/internal/topics"
	"github.com/stoachat/stoa/ports"
)

// harness runs the service on a real database with a minimal kernel: one transaction at a time, and a view updated by
// the events.
type harness struct {
	t        testing.TB
	db       *bunstore.DB
	service  *Service
	inbox    *inbox.Store
	flags    *flags.Service
	audience *audience.Service
	rows     *messages.Store // for operations of other packages
	ctx      context.Context // carries the open transaction
	realm    realm.ID
	view     *directory.View
	seq      int64
	events   []event.Event

	statements int          // number of statements sent
	steps      int          // number of unmute steps
	locking    func() error // called before the realm's lock is acquired; may be nil

	queue   []*ports.Intent // submitted but not yet written
	highest message.ID      // highest ID assigned so far
	jump    *rand.Rand      // leaves gaps between IDs; nil: IDs are consecutive
	nodes   *rand.Rand      // decides when nodes restart and keep facts

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
	h.inbox = inbox.New(h.db)
	h.flags = flags.New(flags.NewStore(h.db), h.inbox)
	h.audience = audience.New(h.inbox, h.flags.Store)
	h.service = New(Needs{
		DB: h.db, Inbox: h.inbox, Flags: h.flags.Store, Audience: h.audience, Topics: topics.New(h.db, h.inbox, h.audience),
		Ports: kernel.Ports{Work: h, Log: h, Writer: h, Directory: h, Hooks: h},
	})
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

func (h *harness) AfterCommit(ctx context.Context, fn func(context.Context)) { fn(ctx) }
func (h *harness) Run(context.Context, any) error                            { return nil }
func (h *harness) Now() time.Time {
	return time.Unix(1_700_000_000, 0).UTC()
}
func (h *harness) View(context.Context, realm.ID) (*directory.View, error)     { return h.view, nil }
func (h *harness) Verified(context.Context, realm.ID) (*directory.View, error) { return h.view, nil }

func (h *harness) Submit(_ context.Context, _ realm.ID, _ user.ID, in *ports.Intent) error {
	h.queue = append(h.queue, in)
	return nil
}

func (h *harness) Do(ctx context.Context, fn func(context.Context) error) error {
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

// moved notifies the cache that the log has reached h.seq.
func (h *harness) moved(e event.Entry) error {
	e.Realm, e.Seq = h.realm, event.Seq(h.seq)
	return h.service.finder.cache.logAdvanced(h.ctx, &event.LogAdvanced{Realm: h.realm, View: h.view.AsOf(h.seq, h.Now()),
		Entries: []event.Entry{e}})
}

func (h *harness) Append(_ context.Context, es ...event.Event) error {
	for _, e := range es {
		h.seq++
		h.view = h.view.Apply(h.seq, e.Changes...)
		h.events = append(h.events, e)
		if err := h.moved(event.Entry{Type: e.Type, Ref: e.Ref}); err != nil {
			return err
		}
	}
	return nil
}

// populate creates a new realm with the users, channels and direct conversations of all histories.
func (h *harness) populate(all []*history) error {
	h.realm++
	h.seq, h.events = 1, nil
	b := &directory.Builder{}
	b.Realm(&realm.Realm{ID: h.realm})
	var members [][2]int64
	for _, x := range all {
		w := readstatetest.Fixture{
			Private: map[message.Recipient]bool{}, Protected: map[message.Recipient]bool{},
			Direct: map[message.Recipient]user.Set{},
		}
		for n := range 4 {
			h.lastUser++
			u := &user.User{ID: h.lastUser, Role: user.Member, Active: true, DeliveryEmail: fmt.Sprint(h.lastUser),
				FullName: fmt.Sprint(h.lastUser)}
			u.Settings.ResolvedTopicNoticeAutoReadPolicy = "never"
			if x.r.IntN(2) == 0 {
				u.Settings.ResolvedTopicNoticeAutoReadPolicy = "always"
				w.Quiet = append(w.Quiet, u.ID)
			}
			if n == 3 && x.r.IntN(2) == 0 {
				u.Role = user.Guest
				w.Guests = append(w.Guests, u.ID)
			}
			b.User(u)
			w.People = append(w.People, u.ID)
		}
		for range 3 {
			h.lastChannel++
			at := message.OfChannel(h.lastChannel)
			w.Channels = append(w.Channels, at)
			w.Protected[at] = x.r.IntN(3) == 0
			w.Private[at] = w.Protected[at] || x.r.IntN(4) == 0
			b.Channel(&channel.Channel{ID: h.lastChannel, Name: fmt.Sprint(h.lastChannel), Private: w.Private[at],
				HistoryPublic: !w.Protected[at]})
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
	return h.inTx(func() error { return insertMembers(h.ctx, h.db, members) })
}

// insert stores sent messages and returns their IDs.
func (h *harness) insert(steps []*readstatetest.Step) ([]message.ID, error) {
	ids := make([]message.ID, len(steps))
	if h.jump != nil && h.jump.IntN(3) == 0 { // other realms have sent messages in between
		h.highest += 40_000
	}
	for i, s := range steps {
		h.highest++
		s.Message.ID, ids[i] = h.highest, h.highest
	}
	return ids, insertMessages(h.ctx, h.db, h.realm, steps)
}

func (h *harness) subscribe(r message.Recipient, us ...user.ID) error {
	c, _ := r.Channel()
	who := idset.Of(us...)
	if err := h.service.subscribed(h.ctx, &channel.Subscribed{Realm: h.realm, Channel: c, Users: who,
		Seq: h.seq}); err != nil {
		return err
	}
	e := event.Event{Realm: h.realm, Type: "subscription"}
	return h.Append(h.ctx, e.Changing(directory.Change{Subs: &directory.Subs{Channel: c, Add: who}}))
}

func (h *harness) unsubscribe(u user.ID, r message.Recipient) error {
	c, _ := r.Channel()
	if err := h.service.unsubscribed(h.ctx, &channel.Unsubscribed{Realm: h.realm, Channel: c, Users: idset.Of(u),
		Seq: h.seq}); err != nil {
		return err
	}
	e := event.Event{Realm: h.realm, Type: "subscription"}
	return h.Append(h.ctx, e.Changing(directory.Change{Subs: &directory.Subs{Channel: c, Remove: idset.Of(u)}}))
}

// mute mutes or unmutes a user as the mutes module does.
func (h *harness) mute(by, other user.ID, on bool) error {
	a := user.Actor{Realm: h.realm, User: by}
	var events []event.Event
	if on {
		forget, err := h.service.BeforeMute(h.ctx, h.view, a, other)
		if err != nil {
			return err
		}
		if _, err := h.Lock(h.ctx, h.realm); err != nil {
			return err
		}
		if events, err = forget(h.ctx, h.view); err != nil {
			return err
		}
	}
	for done := on; !done; {
		h.steps++
		var err error
		if done, err = h.service.BeforeUnmute(h.ctx, h.view, a); err != nil {
			return err
		}
	}
	e := event.Event{Realm: h.realm, Type: "muted_users"}
	e = e.Changing(directory.Change{Mute: &directory.Mute{User: by, Muted: other, On: on}})
	return h.Append(h.ctx, append([]event.Event{e}, events...)...)
}

// policy toggles, for one user, whether resolve notices are initially read.
func (h *harness) policy(u user.ID) error {
	was, before := h.view.User(u), h.view
	is := *was
	if is.Settings.ResolvedTopicNoticeAutoReadPolicy = "never"; !readstate.Quiet(was) {
		is.Settings.ResolvedTopicNoticeAutoReadPolicy = "always"
	}
	e := event.Event{Realm: h.realm, Changes: []directory.Change{directory.OfUser(was, &is)}}
	if err := h.Append(h.ctx, e); err != nil {
		return err
	}
	return h.service.noticePolicies(h.ctx, &directory.Changed{Realm: h.realm, Before: before, After: h.view,
		Changes: e.Changes})
}
