package kernel

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/app/kittest/testrun"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

// TestAsAgainstReplay compares the results of As with a replay of all changes, on a node that has followed the log from
// the start and on nodes started later.
func TestAsAgainstReplay(t *testing.T) {
	w := newCluster(t)
	a := w.node()
	r := rand.New(rand.NewPCG(3, 4))
	a.must(a.put(bg, 1, 1, named("first")))
	for i := range 150 {
		if r.IntN(3) == 0 {
			_, err := a.send(bg, 1, 1, fmt.Sprint(i))
			a.must(err)
			continue
		}
		a.must(a.put(bg, 1, user.ID(1+r.IntN(6)), func(u *user.User) {
			u.FullName, u.Role = fmt.Sprint(i), []user.Role{user.Owner, user.Member, user.Guest}[r.IntN(3)]
			u.Active = u.ID == 1 || r.IntN(3) > 0
		}))
	}
	log := a.wholeLog(1)
	replay := make([]string, len(log)+1)
	v := directory.Empty()
	for i, e := range log {
		v = v.Apply(int64(e.Seq), e.Changes...)
		replay[i+1] = facts(v)
	}
	late := w.node()
	old := w.node() // stores few versions, so it undoes changes from the nearest one
	_, err := old.View(bg, 1)
	old.must(err)
	m := old.builtModel(1)
	m.mu.Lock()
	m.versions, m.ring = m.versions[len(m.versions)-1:], nil
	m.mu.Unlock()
	ring := w.node() // has the entries in memory, but no versions
	_, err = ring.View(bg, 1)
	ring.must(err)
	for i := range 20 {
		ring.must(ring.put(bg, 1, 2, named(fmt.Sprint("ring ", i))))
	}
	for _, e := range a.wholeLog(1)[len(log):] {
		v = v.Apply(int64(e.Seq), e.Changes...)
		replay = append(replay, facts(v))
	}
	log = a.wholeLog(1)
	m = ring.builtModel(1)
	m.mu.Lock()
	m.versions = m.versions[len(m.versions)-1:]
	m.mu.Unlock()
	for _, n := range []*node{a, late, old} {
		_, err := n.Verified(bg, 1)
		n.must(err)
	}
	for name, n := range map[string]*node{"follows": a, "late": late, "keeps nothing": old, "keeps entries": ring} {
		for range 40 {
			after := event.Seq(r.IntN(len(log)))
			if r.IntN(2) == 0 {
				after = event.Seq(len(log) - 1 - r.IntN(20))
			}
			es, upto, err := n.After(bg, 1, after, 1+r.IntN(30))
			n.must(err)
			if es[0].Seq != after+1 || es[len(es)-1].Seq != upto {
				t.Fatalf("%s: after %d upto %d: %d to %d", name, after, upto, es[0].Seq, es[len(es)-1].Seq)
			}
			views, err := n.As(bg, 1, es)
			n.must(err)
			for i, v := range views {
				if v.Seq() != int64(es[i].Seq) || facts(v) != replay[es[i].Seq] || !v.Now().Equal(es[i].At) {
					t.Fatalf("%s: as of %d:\n%s\nwant %s", name, es[i].Seq, facts(v), replay[es[i].Seq])
				}
			}
		}
	}
	if _, err := a.As(bg, 1, []event.Entry{log[3], log[5]}); err == nil {
		t.Error("a gap")
	}
	if es, upto, err := a.After(bg, 1, event.Seq(len(log)+5), 10); err != nil || len(es) != 0 || int(upto) != len(log) {
		t.Errorf("beyond the head: %d %d %v", len(es), upto, err)
	}
}

func TestEntriesKeepEverything(t *testing.T) {
	w := newCluster(t)
	n := w.node()
	n.must(n.put(bg, 1, 1, named("it's ? \\ \u2028 é <b>")))
	to := event.Audience{Kind: event.ToUsers, ID: 9, Users: []user.ID{1, 2}, Except: []user.ID{3}}
	n.must(n.Do(bg, func(ctx context.Context) error {
		return n.Append(ctx, messageEvent.To(1, to, sent{ID: 5, Body: "a ?? 'b' \\ \x00 <é> \u2028"}).About(77),
			userEvent.To(1, event.To(4), map[string]any{"a": nil}))
	}))
	fromMemory, _, err := n.After(bg, 1, 0, 10)
	n.must(err)
	fromTable := n.wholeLog(1)
	for i := range fromTable {
		a, b := fmt.Sprintf("%+v", fromMemory[i].To), fmt.Sprintf("%+v", fromTable[i].To)
		if a != b || string(fromMemory[i].Payload) != string(fromTable[i].Payload) ||
			!fromMemory[i].At.Equal(fromTable[i].At) || fromMemory[i].Ref != fromTable[i].Ref {
			t.Errorf("%+v\n%+v", fromMemory[i], fromTable[i])
		}
	}
	if got := fmt.Sprintf("%+v", fromTable[1].To); got != fmt.Sprintf("%+v", to) {
		t.Errorf("audience %s", got)
	}
	if got := string(fromTable[1].Payload); got != "{\"id\":5,\"sender\":0,\"body\":\"a ?? 'b' \\\\ \\u0000 <é> "+
		"\\u2028\"}" {
		t.Errorf("payload %s", got)
	}
	if u := fromTable[0].Changes[0].User.New; u.FullName != "it's ? \\ \u2028 é <b>" {
		t.Errorf("changes %q", u.FullName)
	}
}

func TestTrimming(t *testing.T) {
	w := newCluster(t)
	n := w.node()
	n.must(n.put(bg, 1, 1, named("ann")))
	for i := range 9 {
		_, err := n.send(bg, 1, 1, fmt.Sprint(i))
		n.must(err)
	}
	trimmed := func(n *node) (first, noted event.Seq) {
		hs, err := n.store.heads(bg, []realm.ID{1})
		n.must(err)
		return n.wholeLog(1)[0].Seq, hs[0].Trimmed
	}
	n.must(n.trim(bg))
	if first, noted := trimmed(n); first != 1 || noted != 0 {
		t.Fatalf("recent entries: first %d, noted %d", first, noted)
	}
	consume := func(name string, seq int) {
		n.must(n.Do(bg, func(ctx context.Context) error {
			_, err := n.db.From(ctx).NewRaw(`INSERT INTO log_consumers VALUES (1, ?, ?) ON CONFLICT (realm_id, name) DO `+
				`UPDATE SET seq = excluded.seq`, name, seq).Exec(ctx)
			return err
		}))
	}
	consume("push", 6)
	consume("hooks", 4)
	n.must(n.trim(bg))
	if first, _ := trimmed(n); first != 1 {
		t.Fatalf("consumed, but younger than ten minutes: first %d", first)
	}
	n.clock.advance(11 * time.Minute)
	n.must(n.trim(bg))
	if first, noted := trimmed(n); first != 5 || noted != 4 {
		t.Fatalf("up to the slowest consumer: first %d, noted %d", first, noted)
	}
	late := w.node()
	if _, _, err := late.After(bg, 1, 3, 10); !errs.Is(err, errs.BadEventQueue) {
		t.Errorf("trimmed entries: %v", err)
	}
	if es, upto, err := late.After(bg, 1, 4, 10); err != nil || len(es) != 6 || upto != 10 {
		t.Errorf("kept entries: %d %d %v", len(es), upto, err)
	}
	n.clock.advance(8 * 24 * time.Hour)
	n.must(n.trim(bg))
	if first, noted := trimmed(n); first != 10 || noted != 9 {
		t.Fatalf("too old for any consumer, except the newest: first %d, noted %d", first, noted)
	}
	n.must(n.put(bg, 1, 1, named("eve")))
	if got := n.wholeLog(1); got[len(got)-1].Seq != 11 {
		t.Fatalf("after trimming the next is %d", got[len(got)-1].Seq)
	}
}

func TestTrimmingByCount(t *testing.T) {
	n := newCluster(t).node(func(o *Options) { o.KeepRows = 3 })
	n.must(n.put(bg, 1, 1, named("ann")))
	for range 9 {
		_, err := n.send(bg, 1, 1, "x")
		n.must(err)
	}
	n.must(n.trim(bg))
	if log := n.wholeLog(1); len(log) != 3 || log[0].Seq != 8 {
		t.Fatalf("%d left, from %d", len(log), log[0].Seq)
	}
}

// If entries are trimmed that a paused node has not read, the node rebuilds its model, and notifies its listeners that
// they may have missed entries.
func TestRebuildAfterGap(t *testing.T) {
	w := newCluster(t)
	a, b := w.node(), w.node(func(o *Options) { o.KeepRows = 1 })
	a.must(a.put(bg, 1, 1, named("ann")))
	for i := range 5 {
		b.must(b.put(bg, 1, 1, named(fmt.Sprint(i))))
	}
	b.must(b.trim(bg))
	v, err := a.Verified(bg, 1)
	a.must(err)
	if v.Seq() != 6 || v.User(1).FullName != "4" {
		t.Fatalf("%s at %d", facts(v), v.Seq())
	}
	if _, err := a.send(bg, 1, 1, "goes on"); err != nil {
		t.Fatal(err)
	}
	a.eventually(func() bool { return a.notifiedOfGap(6) })
}

// A node that drops an unused realm misses the realm's entries. When it loads the realm again, it notifies its
// listeners that they may have missed entries.
func TestDroppedRealm(t *testing.T) {
	w := newCluster(t)
	a, b := w.node(), w.node()
	a.must(a.put(bg, 1, 1, named("ann")))
	if _, err := b.View(bg, 1); err != nil {
		t.Fatal(err)
	}
	b.clock.advance(b.o.Idle + time.Minute)
	b.activeRealms()
	if b.builtModel(1) != nil {
		t.Fatal("the realm was not dropped")
	}
	a.must(a.put(bg, 1, 1, named("bea")))
	if _, err := b.View(bg, 1); err != nil {
		t.Fatal(err)
	}
	b.eventually(func() bool { return b.notifiedOfGap(2) })
}

// notifiedOfGap reports whether the node has notified its listeners that they may have missed entries before a
// position.
func (n *node) notifiedOfGap(at int64) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.ContainsFunc(n.moved, func(m event.LogAdvanced) bool {
		return len(m.Entries) == 0 && m.View.Seq() == at
	})
}

// After the database has been restored, log positions are reused, so a new epoch starts.
func TestRestoreStartsEpoch(t *testing.T) {
	w := newCluster(t)
	a, b := w.node(), w.node()
	for i := range 5 {
		a.must(a.put(bg, 1, user.ID(i+1), named(fmt.Sprint(i))))
	}
	_, err := b.View(bg, 1)
	b.must(err)
	a.must(a.Do(bg, func(ctx context.Context) error {
		if _, err := a.db.From(ctx).NewRaw("DELETE FROM realm_events WHERE seq > 3").Exec(ctx); err != nil {
			return err
		}
		_, err := a.db.From(ctx).NewRaw("DELETE FROM t_users WHERE id > 3").Exec(ctx)
		return err
	}))
	for _, n := range []*node{a, b} {
		v, err := n.Verified(bg, 1)
		n.must(err)
		if v.Seq() != 3 || v.User(4) != nil {
			t.Fatalf("%s at %d", facts(v), v.Seq())
		}
		if e, err := n.Epoch(bg, 1); err != nil || e != 1 {
			t.Fatalf("epoch %d %v", e, err)
		}
	}
	a.must(a.put(bg, 1, 9, named("after")))
	v, err := b.Verified(bg, 1)
	b.must(err)
	if v.Seq() != 4 || v.User(9) == nil {
		t.Fatalf("%s at %d", facts(v), v.Seq())
	}
}

// A new epoch also starts if the node writes before it notices that the database was restored.
func TestWriteDetectsRestore(t *testing.T) {
	for name, write := range map[string]func(*node) error{
		"do":     func(n *node) error { return n.put(bg, 1, 9, named("after")) },
		"submit": func(n *node) error { _, err := n.send(bg, 1, 1, "after"); return err },
	} {
		n := newCluster(t).node()
		for i := range 5 {
			n.must(n.put(bg, 1, user.ID(i+1), named(fmt.Sprint(i))))
		}
		tx, _, err := n.db.Begin(bg, bunstore.Changing)
		n.must(err)
		n.must(tx.Commit(bg, "DELETE FROM realm_events WHERE seq > 3", "DELETE FROM t_users WHERE id > 3"))
		n.must(write(n))
		n.must(write(n))
		v, err := n.View(bg, 1)
		n.must(err)
		if log := n.wholeLog(1); v.Seq() != 5 || len(log) != 5 || v.User(4) != nil || v.User(1) == nil {
			t.Errorf("%s: %s at %d, %d entries", name, facts(v), v.Seq(), len(log))
		}
		if e, err := n.Epoch(bg, 1); err != nil || e != 1 {
			t.Errorf("%s: epoch %d %v", name, e, err)
		}
	}
}

func TestTimeline(t *testing.T) {
	n := newCluster(t).node()
	n.must(n.put(bg, 1, 1, named("ann")))
	n.must(n.checkTimelines(bg))
	n.must(n.checkTimelines(bg))
	_, err := n.Verified(bg, 1)
	n.must(err)
	if e, err := n.Epoch(bg, 1); err != nil || e != 0 {
		t.Fatalf("the same timeline: epoch %d %v", e, err)
	}
	if n.db.OneWriter() {
		return // SQLite cannot detect it
	}
	n.must(n.Do(bg, func(ctx context.Context) error { return n.store.setTimeline(ctx, 1, "00000000") }))
	n.must(n.checkTimelines(bg))
	n.must(n.checkTimelines(bg))
	_, err = n.Verified(bg, 1)
	n.must(err)
	if e, err := n.Epoch(bg, 1); err != nil || e != 1 {
		t.Fatalf("another timeline: epoch %d %v", e, err)
	}
	n.must(n.put(bg, 1, 1, named("eve")))
}

// Other nodes' entries arrive without requests, and unused realms are dropped.
func TestFollowing(t *testing.T) {
	w := newCluster(t)
	quick := func(o *Options) { o.Poll = 5 * time.Millisecond }
	a, b := w.node(quick), w.node(quick)
	a.must(a.Start(bg))
	a.must(b.put(bg, 1, 1, named("ann")))
	_, err := a.View(bg, 1)
	a.must(err)
	a.must(b.put(bg, 1, 2, named("bob")))
	a.eventually(func() bool { told := a.published(); return len(told) > 0 && told[len(told)-1] == 2 })
	a.clock.advance(11 * time.Minute)
	a.eventually(func() bool { return a.builtModel(1) == nil })
	a.must(b.put(bg, 1, 3, named("cat")))
	v, err := a.View(bg, 1)
	a.must(err)
	if v.User(3) == nil {
		t.Fatalf("after idling: %s", facts(v))
	}
}

// eventually waits for an effect of another goroutine.
func (n *node) eventually(is func() bool) {
	n.t.Helper()
	testrun.Await(n.t, "effect", is)
}
