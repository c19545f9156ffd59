package nodes_test

import (
	"context"
	"errors"
	"log/slog"
	"testing"
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
