package kernel

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/adapters/bunstore/storetest"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

// cluster is a database and the nodes that share it.
type cluster struct {
	t   testing.TB
	url string
}

// node is a kernel with its own database handle, like a separate process.
type node struct {
	follow func(context.Context, *directory.Changed) error // called when facts change; may be nil
	*Kernel
	t     testing.TB
	db    *bunstore.DB
	clock *clock
	sends ports.IntentKind
	trips atomic.Int64

	mu    sync.Mutex
	moved []event.LogAdvanced
}

// clock stands still unless a test moves it, so that leases and time limits do not depend on the machine's speed.
type clock struct{ ahead atomic.Int64 }

func (c *clock) Now() time.Time {
	return time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC).Add(time.Duration(c.ahead.Load()))
}
func (c *clock) advance(d time.Duration) { c.ahead.Add(int64(d)) }
func newCluster(t testing.TB) *cluster   { return newClusterAt(t, storetest.URL(t)) }
func newClusterAt(t testing.TB, u string) *cluster {
	w := &cluster{t, u}
	db := storetest.OpenURL(t, bunstore.Config{URL: u})
	if err := db.Migrate(context.Background(),
		[]bunstore.Migrations{Migrations(), {Module: "test", FS: testTables()}}); err != nil {
		t.Fatal(err)
	}
	return w
}

func testTables() fs.FS {
	const sql = `CREATE TABLE t_realms (id bigint PRIMARY KEY);
		INSERT INTO t_realms VALUES (1), (2);
		CREATE TABLE t_users (id bigint PRIMARY KEY, realm_id bigint NOT NULL, name text NOT NULL, role bigint NOT NULL,
			active boolean NOT NULL);
		CREATE TABLE t_messages (id {id}, realm_id bigint NOT NULL, sender bigint NOT NULL, body text NOT NULL);`
	return fstest.MapFS{"migrations/001_tables.sql": &fstest.MapFile{Data: []byte(sql)}}
}

func (w *cluster) node(o ...func(*Options)) *node {
	w.t.Helper()
	return w.nodeOn(bunstore.Config{URL: w.url}, o...)
}

func (w *cluster) nodeOn(c bunstore.Config, o ...func(*Options)) *node {
	w.t.Helper()
	n := &node{t: w.t, clock: &clock{}}
	c.Observe = func(string) { n.trips.Add(1) }
	n.db = storetest.OpenURL(w.t, c)
	opts := Options{DB: n.db, Clock: n.clock,
		Log: slog.New(slog.NewTextHandler(w.t.Output(), &slog.HandlerOptions{Level: slog.LevelError}))}
	for _, f := range o {
		f(&opts)
	}
	n.Kernel = New(opts)
	n.sends = ports.IntentKind{Name: "send", Write: n.write}
	if err := n.Collect([]kit.Contribution{{Module: "test", Parts: kit.Parts{
		Directory: []directory.Part{{Name: "test", Load: n.loadPart}},
		Hooks:     []kit.Hook{kit.On(n.onMoved), kit.On(n.onChanged)},
	}}}); err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() {
		if err := n.Stop(context.Background()); err != nil {
			w.t.Error(err)
		}
	})
	return n
}

func (n *node) onMoved(_ context.Context, m *event.LogAdvanced) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.moved = append(n.moved, *m)
	return nil
}

func (n *node) onChanged(ctx context.Context, m *directory.Changed) error {
	if n.follow == nil {
		return nil
	}
	return n.follow(ctx, m)
}

func (n *node) published() []event.Seq {
	n.mu.Lock()
	defer n.mu.Unlock()
	var out []event.Seq
	for _, m := range n.moved {
		for _, e := range m.Entries {
			out = append(out, e.Seq)
		}
	}
	return out
}

type userRow struct {
	bun.BaseModel `bun:"table:t_users"`

	ID      user.ID `bun:",pk"`
	RealmID realm.ID
	Name    string
	Role    user.Role
	Active  bool
}

type messageRow struct {
	bun.BaseModel `bun:"table:t_messages"`

	ID      int64 `bun:",pk,autoincrement"`
	RealmID realm.ID
	Sender  user.ID
	Body    string
}

func (u userRow) user() *user.User {
	return &user.User{ID: u.ID, FullName: u.Name, DeliveryEmail: fmt.Sprintf("u%d@example.com", u.ID), Role: u.Role,
		Active: u.Active}
}

func (n *node) loadPart(ctx context.Context, r realm.ID, b *directory.Builder) error {
	known, err := n.db.From(ctx).NewSelect().TableExpr("t_realms").Where("id = ?", r).Count(ctx)
	if err != nil || known == 0 {
		return err
	}
	b.Realm(&realm.Realm{ID: r})
	users, err := n.rows(ctx, r)
	for _, u := range users {
		b.User(u.user())
	}
	return err
}

func (n *node) rows(ctx context.Context, r realm.ID) ([]userRow, error) {
	var users []userRow
	err := n.db.From(ctx).NewSelect().Model(&users).Where("realm_id = ?", r).Order("id").Scan(ctx)
	return users, err
}

var userEvent = kit.Event[map[string]any]("realm_user", "update")
var messageEvent = kit.Event[sent]("message", "")

type sent struct {
	ID     int64   `json:"id"`
	Sender user.ID `json:"sender"`
	Body   string  `json:"body"`
}

// put creates or changes a user, based on the view.
func (n *node) put(ctx context.Context, r realm.ID, id user.ID, change func(*user.User)) error {
	return n.Do(ctx, func(ctx context.Context) error {
		v, err := n.View(ctx, r)
		if err != nil {
			return err
		}
		old := v.User(id)
		now := &user.User{ID: id, DeliveryEmail: fmt.Sprintf("u%d@example.com", id), Role: user.Member, Active: true}
		if old != nil {
			c := *old
			now = &c
		}
		change(now)
		w := &userRow{ID: id, RealmID: r, Name: now.FullName, Role: now.Role, Active: now.Active}
		if _, err := n.db.From(ctx).NewInsert().Model(w).On("CONFLICT (id) DO UPDATE").Exec(ctx); err != nil {
			return err
		}
		return n.Append(ctx, userEvent.To(r, event.Everyone(), nil).Changing(directory.OfUser(old, now)))
	})
}

var errPoison = errors.New("a poisoned row")

// write resembles the Write of the intent kind for messages: one INSERT for all intents, and one event for each.
func (n *node) write(ctx context.Context, v *directory.View, _ event.Seq, in []*ports.Intent) ([]event.Event, error) {
	var rows []*messageRow
	var kept []*ports.Intent
	for _, i := range in {
		m := *i.Value.(*messageRow)
		m.ID = 0
		if strings.HasPrefix(m.Body, "poison") {
			return nil, errPoison
		}
		if u := v.User(m.Sender); u == nil || !u.Active {
			i.Err = errs.Bad("no such sender")
			continue
		}
		rows, kept = append(rows, &m), append(kept, i)
	}
	if len(rows) == 0 {
		return nil, nil
	}
	if _, err := n.db.From(ctx).NewInsert().Model(&rows).Returning("id").Exec(ctx); err != nil {
		return nil, err
	}
	var out []event.Event
	for j, m := range rows {
		kept[j].Value = m
		out = append(out, messageEvent.To(m.RealmID, event.Everyone(), sent{m.ID, m.Sender, m.Body}).About(m.ID))
	}
	return out, nil
}

func (n *node) send(ctx context.Context, r realm.ID, by user.ID, body string) (int64, error) {
	in := &ports.Intent{Kind: &n.sends, Value: &messageRow{RealmID: r, Sender: by, Body: body}, Size: len(body)}
	if err := n.Submit(ctx, r, by, in); err != nil {
		return 0, err
	}
	return in.Value.(*messageRow).ID, nil
}

func (n *node) must(err error) {
	n.t.Helper()
	if err != nil {
		n.t.Fatal(err)
	}
}

func named(name string) func(*user.User) { return func(u *user.User) { u.FullName = name } }

// wholeLog returns a realm's complete log as stored, and checks that no number is missing.
func (n *node) wholeLog(r realm.ID) []event.Entry {
	n.t.Helper()
	es, err := n.store.between(context.Background(), r, 0, 1<<60, 1<<30)
	n.must(err)
	for i, e := range es {
		if e.Seq != es[0].Seq+event.Seq(i) {
			n.t.Fatalf("entry %d follows %d", e.Seq, es[i-1].Seq)
		}
	}
	return es
}

// facts describes a view as text.
func facts(v *directory.View) string {
	var b strings.Builder
	for u := range v.Users() {
		fmt.Fprintf(&b, "%d %s %d %t;", u.ID, u.FullName, u.Role, u.Active)
	}
	fmt.Fprint(&b, v.Active())
	return b.String()
}
