package nodes_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/adapters/bunstore/storetest"
	"github.com/stoachat/stoa/app/internal/nodes"
	"github.com/stoachat/stoa/app/kittest"
)

func migrations() []bunstore.Migrations { return []bunstore.Migrations{nodes.Migrations()} }

// node is a node whose own clock may differ from others.
type node struct {
	*nodes.Node
	t *testing.T
}

func start(t *testing.T, db *bunstore.DB, clock *kittest.Clock) node {
	t.Helper()
	n := node{nodes.New(nodes.Options{
		DB: db, Clock: clock, Log: slog.New(slog.DiscardHandler), Kind: "serve", Version: "1", Manual: true,
		Migrations: migrations,
	}), t}
	if err := n.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	return n
}

func (n node) renew() {
	n.t.Helper()
	if _, err := n.Renew(n.t.Context()); err != nil {
		n.t.Error(err)
	}
}

// free reports whether this node may take a lease of the holder.
func (n node) free(db *bunstore.DB, holder string) bool {
	n.t.Helper()
	_, own, done := n.Hold(n.t.Context())
	defer done()
	var free bool
	err := db.From(n.t.Context()).NewRaw("SELECT "+bunstore.Free("t.h")+" FROM (SELECT ? AS h) AS t", own, holder).
		Scan(n.t.Context(), &free)
	if err != nil {
		n.t.Error(err)
	}
	return free
}

// An upgrade that breaks others must read their rows before the table has all columns.
func TestTableOfFormerVersion(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		first, err := fs.ReadFile(nodes.Migrations().FS, "migrations/001_nodes.sql")
		if err != nil {
			t.Fatal(err)
		}
		db := storetest.OpenURL(t, bunstore.Config{URL: kittest.Real(t, url)})
		former := bunstore.Migrations{Module: "nodes", FS: fstest.MapFS{"migrations/001_nodes.sql": {Data: first}}}
		if err := db.Migrate(t.Context(), []bunstore.Migrations{former}); err != nil {
			t.Fatal(err)
		}
		tx, _, err := db.Begin(t.Context(), bunstore.Changing)
		if err != nil {
			t.Fatal(err)
		}
		_, err = tx.Run(t.Context(), `INSERT INTO nodes (id, kind, version, schema, host, pid, beat, started_at, renewed_at)
			VALUES ('n', 'serve', '1', '', 'h', 7, 1, '2026-01-01 00:00:00+00:00', '2026-01-01 00:00:00+00:00')`)
		if err := errors.Join(err, tx.Commit(t.Context())); err != nil {
			t.Fatal(err)
		}
		n := nodes.New(nodes.Options{
			DB: db, Clock: kittest.NewClock(), Log: slog.New(slog.DiscardHandler), Kind: "serve", Version: "2", Manual: true,
			Migrations: migrations, Wait: func(context.Context, time.Duration) error { return nil },
		})
		if _, err := n.Guard(t.Context(), []string{"nodes 003_modules"}); err != nil {
			t.Error(err)
		}
		if all, err := nodes.List(t.Context(), db); err != nil || len(all) != 1 || all[0].PID != 7 {
			t.Errorf("%v %v", all, err)
		}
	})
}

// What a node holds is free once it has been seen unchanged for nine seconds, however its clock and that of the others
// are set, and not before. A node that stops cleanly leaves nothing.
func TestHolders(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		db := storetest.OpenURL(t, bunstore.Config{URL: kittest.Real(t, url)})
		if err := db.Migrate(t.Context(), migrations()); err != nil {
			t.Fatal(err)
		}
		early, late := kittest.NewClock(), kittest.NewClock()
		early.Advance(-24 * time.Hour)
		a, b := start(t, db, early), start(t, db, late)
		held, holder, done := a.Hold(t.Context())
		defer done()
		for range 3 {
			late.Advance(8 * time.Second)
			b.renew()
			if b.free(db, holder) {
				t.Fatal("the lease of a living node is free")
			}
			a.renew()
			b.renew()
		}
		if !a.free(db, holder) || !a.free(db, "") || !b.free(db, "an earlier version") {
			t.Error("a lease that is free is not")
		}
		late.Advance(9 * time.Second)
		if b.free(db, holder) {
			t.Error("a lease is free before its holder was looked at")
		}
		b.renew()
		if !b.free(db, holder) {
			t.Error("the lease of a dead node is not free")
		}
		if held.Err() != nil {
			t.Error("the work ended without a reason")
		}
		a.renew() // it was only slow, and continues with another ID
		if <-held.Done(); !errors.Is(context.Cause(held), nodes.ErrLost) {
			t.Errorf("the work of a node that was taken for dead goes on: %v", context.Cause(held))
		}
		again, next, done := a.Hold(t.Context())
		defer done()
		if again.Err() != nil || next == holder || b.free(db, next) {
			t.Errorf("a node that was slow holds nothing: %v", context.Cause(again))
		}
		if err := a.Stop(t.Context()); err != nil || !b.free(db, next) {
			t.Errorf("a node that has stopped holds a lease: %v", err)
		}
		<-again.Done()
	})
}

// Migrations that would break a node are refused while it is alive, and the error names it, but not because of a node
// that has died. A node that starts between the check and the migration is found as well, and one that was only paused
// does not go on.
func TestGuard(t *testing.T) {
	db, clock := storetest.Open(t), kittest.NewClock()
	if err := db.Migrate(t.Context(), migrations()); err != nil {
		t.Fatal(err)
	}
	more := func(files fstest.MapFS) func() []bunstore.Migrations {
		return func() []bunstore.Migrations {
			return append(migrations(), bunstore.Migrations{Module: "more", FS: files})
		}
	}
	first := &fstest.MapFile{Data: []byte("-- expand: adds a table.\nCREATE TABLE more (id {int})")}
	last := &fstest.MapFile{Data: []byte("-- contract of 001_more: renames it.\nALTER TABLE more RENAME TO most")}
	before := more(fstest.MapFS{"migrations/001_more.sql": first})
	if err := db.Migrate(t.Context(), before()); err != nil {
		t.Fatal(err)
	}
	old, living, waited := start(t, db, clock), true, time.Duration(0)
	withoutNewest := func() *nodes.Node {
		return nodes.New(nodes.Options{DB: db, Clock: clock, Log: slog.New(slog.DiscardHandler), Manual: true,
			Migrations: before})
	}
	paused := withoutNewest()
	if err := paused.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	newer := nodes.New(nodes.Options{
		DB: db, Clock: clock, Log: slog.New(slog.DiscardHandler), Version: "2", Manual: true,
		Migrations: more(fstest.MapFS{"migrations/001_more.sql": first, "migrations/002_most.sql": last}),
		Wait: func(_ context.Context, d time.Duration) error {
			if waited += d; living && waited%(3*time.Second) == 0 {
				old.renew()
			}
			return nil
		},
	})
	if _, err := newer.Guard(t.Context(), nil); err != nil || waited > 0 {
		t.Errorf("migrations that break nobody are refused after %s: %v", waited, err)
	}
	breaking := []string{"more/002_most"}
	_, err := newer.Guard(t.Context(), breaking)
	if host, _ := os.Hostname(); err == nil || !strings.Contains(err.Error(), fmt.Sprintf(
		"serve on %s (pid %d, version 1, last seen 2026-06-01T12:00:00Z)", host, os.Getpid())) {
		t.Errorf("refused with %v", err)
	}
	if waited > 5*time.Second {
		t.Errorf("a living node was found after %s", waited)
	}
	living, waited = false, 0
	allowed, err := newer.Guard(t.Context(), breaking)
	if err != nil || waited != 9*time.Second {
		t.Fatalf("a dead node was watched for %s: %v", waited, err)
	}
	check := func() error { return db.WithMigrationLock(t.Context(), allowed) }
	if err := check(); err != nil {
		t.Error(err)
	}
	same := start(t, db, clock)
	if err := check(); err == nil {
		t.Error("a node that has started meanwhile was not found")
	}
	if err := errors.Join(same.Stop(t.Context()), check()); err != nil {
		t.Error(err)
	}
	finish := bunstore.Upgrade{Version: "2", Finish: true, Allowed: allowed}
	if err := db.Upgrade(t.Context(), newer.Migrations(), finish); err != nil {
		t.Fatal(err)
	}
	old.renew() // it continues, as the schema that it knows has not changed
	if _, err := paused.Renew(t.Context()); err == nil || paused.Check(t.Context()) == nil {
		t.Errorf("a node that was taken for dead goes on without the newest migrations: %v", err)
	}
	late := withoutNewest()
	if err := late.Start(t.Context()); err == nil || !strings.Contains(err.Error(), "newer version") ||
		!strings.Contains(err.Error(), "program (2) has") {
		t.Errorf("a node without the newest migrations starts: %v", err)
	}
}

// A server learns that another living one of its version runs other modules, until that changes. What commands and
// other versions run does not matter.
func TestOtherModules(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		db := storetest.OpenURL(t, bunstore.Config{URL: kittest.Real(t, url)})
		if err := db.Migrate(t.Context(), migrations()); err != nil {
			t.Fatal(err)
		}
		var log kittest.Lines
		begin := func(version string, modules ...string) node {
			n := node{nodes.New(nodes.Options{
				DB: db, Clock: kittest.NewClock(), Log: slog.New(slog.NewTextHandler(&log, nil)), Kind: "serve",
				Version: version, Manual: true, Migrations: migrations,
				Modules: func() []string { return modules },
			}), t}
			if err := n.Start(t.Context()); err != nil {
				t.Fatal(err)
			}
			return n
		}
		one, same := begin("1", "realm", "drafts", "calls"), begin("1", "calls", "realm", "drafts")
		newer, command := begin("2", "realm"), begin("1")
		other := begin("1", "realm", "party", "calls")
		if err := one.CheckModules(t.Context()); err != nil {
			t.Error("a row that may be that of a dead server matters:", err)
		}
		for range 2 {
			for _, n := range []node{same, newer, command, other, one} {
				n.renew()
			}
		}
		for _, n := range []node{one, same} {
			if err := n.CheckModules(t.Context()); err == nil ||
				!strings.Contains(err.Error(), "missing there: drafts; missing here: party; ") {
				t.Error(err)
			}
		}
		for _, n := range []node{newer, command} {
			if err := n.CheckModules(t.Context()); err != nil {
				t.Error(err)
			}
		}
		if err := other.Stop(t.Context()); err != nil {
			t.Fatal(err)
		}
		one.renew()
		if err := one.CheckModules(t.Context()); err != nil {
			t.Error(err)
		}
		got := log.String() // of one, same and other
		if strings.Count(got, "different modules") != 3 || strings.Count(got, "same modules again") != 1 {
			t.Error(got)
		}
	})
}
