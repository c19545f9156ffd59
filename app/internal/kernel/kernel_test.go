package kernel

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/adapters/bunstore/storetest"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
)

var bg = context.Background()

func TestOwnChangeIsVisibleAtOnce(t *testing.T) {
	n := newCluster(t).node()
	n.must(n.put(bg, 1, 7, named("ann")))
	v, err := n.View(bg, 1)
	n.must(err)
	if v.Seq() != 1 || v.User(7) == nil || v.User(7).FullName != "ann" {
		t.Fatalf("at %d: %v", v.Seq(), facts(v))
	}
	id, err := n.send(bg, 1, 7, "hi")
	n.must(err)
	es, upto, err := n.After(bg, 1, 1, 10)
	n.must(err)
	if upto != 2 || len(es) != 1 || es[0].Ref != id ||
		string(es[0].Payload) != fmt.Sprintf(`{"id":%d,"sender":7,"body":"hi"}`, id) {
		t.Fatalf("upto %d: %+v", upto, es)
	}
	if _, err := n.View(bg, 99); !errs.Is(err, errs.NotFound) {
		t.Fatalf("unknown realm: %v", err)
	}
}

// A change of shared facts must first request the view, so that it holds no locks while it waits for the lane.
func TestChangeRequiresView(t *testing.T) {
	n := newCluster(t).node()
	n.must(n.put(bg, 1, 1, named("ann")))
	change := userEvent.To(1, event.Everyone(),
		nil).Changing(directory.OfUser(nil, &user.User{ID: 2, Active: true, Role: user.Member}))
	err := n.Do(bg, func(ctx context.Context) error { return n.Append(ctx, change) })
	if err == nil || !strings.Contains(err.Error(), "must first ask") {
		t.Errorf("got %v", err)
	}
	// A unit whose event changes no facts is exempt.
	n.must(n.Do(bg, func(ctx context.Context) error {
		return n.Append(ctx, userEvent.To(1, event.Everyone(), nil))
	}))
	if es := n.wholeLog(1); len(es) != 2 || len(es[1].Changes) != 0 {
		t.Errorf("the log: %+v", es)
	}
}

func TestRollbackLeavesNothing(t *testing.T) {
	n := newCluster(t).node()
	n.must(n.put(bg, 1, 1, named("ann")))
	refused := errs.Bad("no")
	err := n.Do(bg, func(ctx context.Context) error {
		_, err := n.View(ctx, 1)
		n.must(err)
		_, err = n.db.From(ctx).NewInsert().Model(&userRow{ID: 2, RealmID: 1, Name: "bob", Role: user.Member,
			Active: true}).Exec(ctx)
		n.must(err)
		n.must(n.Append(ctx, userEvent.To(1, event.Everyone(),
			nil).Changing(directory.OfUser(nil, &user.User{ID: 2, Active: true, Role: user.Member}))))
		n.AfterCommit(ctx, func(context.Context) { t.Error("ran after a rollback") })
		return refused
	})
	if !errors.Is(err, refused) {
		t.Fatalf("got %v", err)
	}
	rows, err := n.rows(bg, 1)
	n.must(err)
	v, err := n.Verified(bg, 1)
	n.must(err)
	if len(rows) != 1 || v.Seq() != 1 || v.User(2) != nil || len(n.wholeLog(1)) != 1 {
		t.Fatalf("%d rows, view %s", len(rows), facts(v))
	}
	func() { // a panic also rolls back, and releases the connection
		defer func() { _ = recover() }()
		_ = n.Do(bg, func(context.Context) error { panic("oh") })
	}()
	n.must(n.put(bg, 1, 2, named("bob")))
}

func TestUnitSeesPendingEvents(t *testing.T) {
	n := newCluster(t).node()
	ran := 0
	n.must(n.Do(bg, func(ctx context.Context) error {
		n.must(n.put(ctx, 1, 1, named("ann"))) // joins
		n.must(n.put(ctx, 1, 1, named("eve")))
		v, err := n.View(ctx, 1)
		n.must(err)
		if v.User(1).FullName != "eve" || v.Seq() != 2 {
			t.Errorf("inside: %s at %d", facts(v), v.Seq())
		}
		if id, err := n.send(ctx, 1, 1, "from within"); err != nil || id == 0 {
			t.Errorf("send within Do: %d %v", id, err)
		}
		if seq, err := n.Lock(ctx, 1); err != nil || seq != 3 {
			t.Errorf("lock: %d %v", seq, err)
		}
		n.AfterCommit(ctx, func(ctx context.Context) {
			ran++
			if unitOf(ctx) != nil {
				t.Error("a unit after the commit")
			}
		})
		return nil
	}))
	v, err := n.View(bg, 1)
	n.must(err)
	if v.Seq() != 3 || v.User(1).FullName != "eve" || ran != 1 {
		t.Fatalf("%s at %d, ran %d", facts(v), v.Seq(), ran)
	}
	if err := n.Append(bg, userEvent.To(1, event.Everyone(), nil)); err == nil {
		t.Error("Append outside Do succeeded")
	}
	err = n.Do(bg, func(ctx context.Context) error {
		return n.Append(ctx, userEvent.To(1, event.Everyone(), nil), userEvent.To(2, event.Everyone(), nil))
	})
	if err == nil {
		t.Error("one unit changed two realms")
	}
}

func TestRealmCreatedInUnit(t *testing.T) {
	n := newCluster(t).node()
	err := n.Do(bg, func(ctx context.Context) error {
		if _, err := n.db.From(ctx).NewRaw("INSERT INTO t_realms VALUES (5)").Exec(ctx); err != nil {
			return err
		}
		return n.put(ctx, 5, 50, named("founder"))
	})
	n.must(err)
	v, err := n.View(bg, 5)
	n.must(err)
	if v.Seq() != 1 || v.User(50) == nil {
		t.Fatalf("%s at %d", facts(v), v.Seq())
	}
}

func TestHooksRunInOrder(t *testing.T) {
	type hookEvent struct{ said []string }
	k := New(Options{Clock: &clock{}})
	say := func(s string) kit.Hook {
		return kit.On(func(_ context.Context, m *hookEvent) error { m.said = append(m.said, s); return nil })
	}
	fail := errors.New("refused")
	err := k.Collect([]kit.Contribution{
		{Module: "zoo", Parts: kit.Parts{Hooks: []kit.Hook{say("zoo"), say("first").Order(-1)}}},
		{Module: "ant", Parts: kit.Parts{Hooks: []kit.Hook{say("last").Order(5), say("ant"), say("ant2")}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	m := &hookEvent{}
	if err := k.Run(bg, m); err != nil || fmt.Sprint(m.said) != "[first ant ant2 zoo last]" {
		t.Fatalf("%v %v", m.said, err)
	}
	if err := k.Run(bg, hookEvent{}); err == nil {
		t.Error("a hook event that is not a pointer was accepted")
	}
	if err := k.Collect([]kit.Contribution{{Module: "a", Parts: kit.Parts{Hooks: []kit.Hook{{}}}}}); err == nil {
		t.Error("a hook without an event was accepted")
	}
	_ = k.Collect([]kit.Contribution{{Module: "a", Parts: kit.Parts{Hooks: []kit.Hook{
		kit.On(func(context.Context, *hookEvent) error { return fail }), say("never").Order(1),
	}}}})
	m = &hookEvent{}
	if err := k.Run(bg, m); !errors.Is(err, fail) || len(m.said) != 0 {
		t.Fatalf("%v %v", m.said, err)
	}
}

func TestTablesAreTheSameOnBothDatabases(t *testing.T) {
	schema := func(url string) []bunstore.Column {
		db := storetest.OpenURL(t, bunstore.Config{URL: url})
		if err := db.Migrate(bg, []bunstore.Migrations{Migrations()}); err != nil {
			t.Fatal(err)
		}
		cols, err := db.Schema(bg)
		if err != nil || len(cols) < 20 {
			t.Fatalf("%d columns: %v", len(cols), err)
		}
		return cols
	}
	for _, d := range bunstore.Differences(schema(storetest.SQLiteURL(t)), schema(storetest.PostgresURL(t))) {
		t.Error(d)
	}
}

// Events that follow from a change of shared facts are appended right after it. Hooks receive the facts before and
// after the change.
func TestFollowingEvents(t *testing.T) {
	n := newCluster(t).node()
	n.must(n.put(bg, 1, 1, named("ann")))
	var steps []string
	name := func(v *directory.View) string {
		if u := v.User(1); u != nil {
			return u.FullName
		}
		return "nobody"
	}
	n.follow = func(ctx context.Context, m *directory.Changed) error {
		steps = append(steps, fmt.Sprintf("%s>%s at %d (%d)", name(m.Before), name(m.After), m.After.Seq(), len(m.Changes)))
		return n.Append(ctx, userEvent.To(1, event.To(1), nil))
	}
	n.must(n.Do(bg, func(ctx context.Context) error {
		steps = nil
		n.must(n.put(ctx, 1, 1, named("bea")))
		n.must(n.Append(ctx, userEvent.To(1, event.Everyone(), nil))) // changes nothing
		return n.put(ctx, 1, 1, named("cat"))
	}))
	if got := strings.Join(steps, ", "); got != "ann>bea at 2 (1), bea>cat at 5 (1)" {
		t.Errorf("ran for %s", got)
	}
	var to []string
	for _, e := range n.wholeLog(1)[1:] {
		to = append(to, fmt.Sprint(e.To.Single(), len(e.Changes)))
	}
	if got := strings.Join(to, " "); got != "0 1 1 0 0 0 0 1 1 0" {
		t.Errorf("receivers and numbers of changes: %s", got)
	}
	if _, err := n.send(bg, 1, 1, "hi"); err != nil || len(steps) != 2 {
		t.Errorf("a message: %v, %v", err, steps)
	}
	refused := errs.Bad("no")
	n.follow = func(context.Context, *directory.Changed) error { return refused }
	if err := n.put(bg, 1, 1, named("dot")); !errors.Is(err, refused) {
		t.Errorf("refused: %v", err)
	}
	v, err := n.Verified(bg, 1)
	n.must(err)
	if name(v) != "cat" {
		t.Errorf("a refused change was kept: %s", name(v))
	}
}
