package events

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

// fakeKernel is a log and a table of queues shared by several nodes. Unlike the kernel, it commits every append
// immediately.
type fakeKernel struct {
	mu      sync.Mutex
	now     time.Time
	entries []event.Entry
	views   []*directory.View // views[n] is the view at entry n
	trimmed event.Seq
	epoch   int64
	rows    map[string]row
	nodes   []*node
	texts   map[int64]string // content loaded at delivery
}

// Users 1 to 4 are members, 5 is a guest, 6 an owner. Channel 1 is public (1, 2, 5), channel 2 private (1, 2).
func newFakeKernel(people int) *fakeKernel {
	var b directory.Builder
	b.Realm(&realm.Realm{ID: 1})
	for id := 1; id <= people; id++ {
		u := &user.User{ID: user.ID(id), DeliveryEmail: strings.Repeat("x", id%7) + string(rune('a'+id%26)) + "@x",
			Role: user.Member, Active: true, Keys: []user.KeyHash{"k"}}
		switch id {
		case 5:
			u.Role = user.Guest
		case 6:
			u.Role = user.Owner
		}
		b.User(u)
	}
	b.Channel(&channel.Channel{ID: 1, Name: "one", HistoryPublic: true})
	b.Channel(&channel.Channel{ID: 2, Name: "two", Private: true})
	for _, u := range []user.ID{1, 2, 5} {
		b.Subscriptions(u, 1)
	}
	for _, u := range []user.ID{1, 2} {
		b.Subscriptions(u, 2)
	}
	for id := 7; id <= people; id++ {
		b.Subscriptions(user.ID(id), 1)
	}
	return &fakeKernel{
		now: time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC), entries: make([]event.Entry, 1),
		views: []*directory.View{b.View(0)},
		rows:  map[string]row{}, texts: map[int64]string{},
	}
}

func (w *fakeKernel) Now() time.Time { w.mu.Lock(); defer w.mu.Unlock(); return w.now }

func (w *fakeKernel) advance(d time.Duration) { w.mu.Lock(); w.now = w.now.Add(d); w.mu.Unlock() }

func (w *fakeKernel) head() event.Seq {
	w.mu.Lock()
	defer w.mu.Unlock()
	return event.Seq(len(w.entries) - 1)
}

// log appends events and advances the nodes that do not ignore entries.
func (w *fakeKernel) log(events ...event.Event) {
	w.mu.Lock()
	for _, e := range events {
		payload, _ := json.Marshal(e.Payload)
		seq := event.Seq(len(w.entries))
		w.entries = append(w.entries, event.Entry{Realm: 1, Seq: seq, Type: e.Type, Op: e.Op, At: w.now, To: e.To, Ref: e.Ref,
			Changes: e.Changes, Payload: payload})
		w.views = append(w.views, w.views[seq-1].Apply(int64(seq), e.Changes...))
	}
	w.mu.Unlock()
	for _, n := range w.nodes {
		if !n.ignoresEntries {
			n.follow()
		}
	}
}

// node is one server.
type node struct {
	*fakeKernel
	*service
	at             event.Seq
	ignoresEntries bool   // ignores new entries
	notifiesNone   bool   // its view advances, but held polls are not notified
	duringPoll     func() // called during a poll
	reads          int    // of the log
}

func (w *fakeKernel) start(t testing.TB, events []kit.AnyEvent, sections ...kit.Section) *node {
	t.Helper()
	n := &node{fakeKernel: w, at: w.head()}
	all := map[string]kit.AnyEvent{}
	for _, e := range events {
		all[e.Type+"/"+e.Op] = e
	}
	n.service = newService(Config{IdleTimeout: 10 * time.Minute, RecentEntries: 16, MaxReplay: 2000, MaxMatching: 1500,
		MaxQueues: 1 << 20}, needs{
		Work: n, Writer: n, Reader: n, Directory: n, Clock: w, Log: slog.New(slog.DiscardHandler),
		Collected: &kit.Collected{Events: all, Sections: sections},
		Aliases: kit.QueryOf[realm.KeyAliases, map[string]any](&kit.Collected{Answers: map[reflect.Type][]kit.Answer{
			reflect.TypeFor[realm.KeyAliases](): {kit.Answers(aliases)},
		}}),
	}, w)
	w.nodes = append(w.nodes, n)
	return n
}

// stop ends the node without shutdown, as kill -9 does.
func (n *node) stop() { n.nodes = slices.DeleteFunc(n.nodes, func(o *node) bool { return o == n }) }

func (n *node) follow() {
	n.locked(func() {
		m := &event.LogAdvanced{Realm: 1}
		for n.at < event.Seq(len(n.entries)-1) {
			n.at++
			m.Entries, m.Views = append(m.Entries, n.entries[n.at]), append(m.Views, n.views[n.at])
		}
		m.View = n.views[n.at]
		if len(m.Entries) > 0 && !n.notifiesNone {
			n.fakeKernel.mu.Unlock()
			_ = n.logAdvanced(context.Background(), m)
			n.fakeKernel.mu.Lock()
		}
	})
}

func (n *node) locked(fn func()) { n.fakeKernel.mu.Lock(); defer n.fakeKernel.mu.Unlock(); fn() }

func (n *node) Do(ctx context.Context, fn func(context.Context) error) error { return fn(ctx) }
func (n *node) AfterCommit(ctx context.Context, fn func(context.Context))    { fn(ctx) }
func (n *node) Snapshot(ctx context.Context, _ realm.ID, fn func(context.Context) error) error {
	return fn(ctx)
}

func (n *node) Submit(ctx context.Context, r realm.ID, _ user.ID, in *ports.Intent) error {
	v, err := n.View(ctx, r)
	if err == nil {
		_, err = in.Kind.Write(ctx, v, 0, []*ports.Intent{in})
	}
	return errors.Join(err, in.Err)
}

func (n *node) View(context.Context, realm.ID) (v *directory.View, err error) {
	n.locked(func() { v = n.views[n.at] })
	return v, nil
}

func (n *node) Verified(ctx context.Context, r realm.ID) (*directory.View, error) {
	n.follow()
	return n.View(ctx, r)
}

func (n *node) As(_ context.Context, _ realm.ID, es []event.Entry) (out []*directory.View, err error) {
	n.locked(func() {
		for _, e := range es {
			out = append(out, n.views[e.Seq])
		}
	})
	return out, nil
}

func (n *node) After(_ context.Context, _ realm.ID, seq event.Seq,
	limit int) (es []event.Entry, to event.Seq, err error) {
	n.locked(func() {
		n.reads++
		to = event.Seq(len(n.entries) - 1)
		if seq < n.trimmed {
			err = errs.New(errs.BadEventQueue, "trimmed")
			return
		}
		to = min(to, seq+event.Seq(limit))
		es = slices.Clone(n.entries[seq+1 : to+1])
	})
	return es, to, err
}

func (n *node) Epoch(context.Context, realm.ID) (epoch int64, err error) {
	if amid := n.duringPoll; amid != nil {
		n.duringPoll = nil
		amid()
	}
	n.locked(func() { epoch = n.epoch })
	return epoch, nil
}

// aliases answers realm.KeyAliases.
func aliases(_ context.Context, q realm.KeyAliases) (map[string]any, error) {
	return map[string]any{"other_version": q.Keys["service_version"]}, nil
}

func (w *fakeKernel) Insert(_ context.Context, all []*row) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, r := range all {
		w.rows[r.ID] = *r
	}
	return nil
}

func (w *fakeKernel) Surplus(context.Context, realm.ID, []user.ID, int) ([]string, error) {
	return nil, nil
}

func (w *fakeKernel) Find(_ context.Context, _ realm.ID, id string) (*row, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if r, ok := w.rows[id]; ok {
		return &r, nil
	}
	return nil, nil
}

func (w *fakeKernel) Save(_ context.Context, all []progress) (there []string, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, p := range all {
		if r, ok := w.rows[p.ID]; ok {
			r.AckedSeq, r.SeenAt, r.ExpiresAt = p.AckedSeq, p.SeenAt, p.ExpiresAt
			w.rows[p.ID] = r
			there = append(there, p.ID)
		}
	}
	return there, nil
}

func (w *fakeKernel) delete(match func(row) bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	maps.DeleteFunc(w.rows, func(_ string, r row) bool { return match(r) })
}

func (w *fakeKernel) Remove(_ context.Context, _ realm.ID, id string) error {
	w.delete(func(r row) bool { return r.ID == id })
	return nil
}

func (w *fakeKernel) Idle(_ context.Context, ids []string, since time.Time) error {
	w.delete(func(r row) bool { return slices.Contains(ids, r.ID) && !r.SeenAt.After(since) })
	return nil
}

func (w *fakeKernel) RemoveOf(_ context.Context, _ realm.ID, u user.ID) error {
	w.delete(func(r row) bool { return r.UserID == u })
	return nil
}

func (w *fakeKernel) RemoveAll(context.Context, realm.ID) error {
	w.delete(func(row) bool { return true })
	return nil
}

func (w *fakeKernel) All(context.Context, realm.ID, user.ID, string, int) ([]row, error) {
	return nil, errors.New("only commands list queues")
}

func (w *fakeKernel) RemoveSome(_ context.Context, _ realm.ID, ids []string) error {
	w.delete(func(r row) bool { return slices.Contains(ids, r.ID) })
	return nil
}

func (w *fakeKernel) Live(_ context.Context, _ realm.ID, us []user.ID, now time.Time) ([]row, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	var all []row
	for _, r := range w.rows {
		if slices.Contains(us, r.UserID) && !r.ExpiresAt.Before(now) {
			all = append(all, r)
		}
	}
	return all, nil
}

func (w *fakeKernel) Expired(_ context.Context, now time.Time) error {
	w.delete(func(r row) bool { return r.ExpiresAt.Before(now) })
	return nil
}
