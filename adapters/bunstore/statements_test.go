package bunstore_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/adapters/bunstore/storetest"
)

// TestCachedStatements checks that cached statements see new rows and columns, may run while their rows are being read,
// and are evicted by others.
func TestCachedStatements(t *testing.T) {
	db := storetest.OpenURL(t, bunstore.Config{URL: "sqlite::memory:"})
	must(t, db.Migrate(bg, []bunstore.Migrations{{Module: "m", FS: files(things)}}))
	const names = "SELECT name FROM things ORDER BY id"
	for i := range 200 {
		must(t, write(db, func(ctx context.Context) error { return add(ctx, db, int64(i+1), fmt.Sprint(i)) }))
		for range 2 {
			if got := count(t, bg, db); got != int64(i+1) {
				t.Fatalf("%d rows, want %d", got, i+1)
			}
			var name string
			must(t, db.From(bg).NewRaw("SELECT name FROM things WHERE id = ?", i/2+1).Scan(bg, &name))
			if name != fmt.Sprint(i/2) {
				t.Fatalf("thing %d is %q", i/2+1, name)
			}
		}
	}

	tx, _, err := db.Begin(bg, bunstore.Reading)
	must(t, err)
	defer tx.Rollback()
	ctx := db.With(bg, tx)
	rows, err := db.From(ctx).QueryContext(bg, names)
	must(t, err)
	defer func() { _ = rows.Close() }()
	n := 0
	for rows.Next() {
		if n++; n == 3 {
			var all []string
			must(t, db.From(ctx).NewRaw(names).Scan(bg, &all))
			if len(all) != 200 {
				t.Errorf("%d rows while others are read", len(all))
			}
		}
	}
	if must(t, rows.Err()); n != 200 {
		t.Errorf("%d rows were read", n)
	}
	_ = rows.Close()
	tx.Rollback()

	const all = "SELECT * FROM things WHERE id = 1"
	columns := func() int {
		rows, err := db.From(bg).QueryContext(bg, all)
		must(t, err)
		defer func() { _ = rows.Close() }()
		if !rows.Next() {
			t.Fatal("no row")
		}
		names, err := rows.Columns()
		must(t, err)
		must(t, rows.Err())
		return len(names)
	}
	before := columns()
	must(t, write(db, func(ctx context.Context) error {
		_, err := db.From(ctx).ExecContext(ctx, "ALTER TABLE things ADD COLUMN more text")
		return err
	}))
	if after := columns(); after != before+1 {
		t.Errorf("%d columns, then %d", before, after)
	}
	for range 2 {
		if _, err := db.From(bg).ExecContext(bg, "SELECT nothing FROM things"); err == nil {
			t.Error("an unknown column was read")
		}
	}
}

// write runs fn in a transaction.
func write(db *bunstore.DB, fn func(context.Context) error) error {
	tx, _, err := db.Begin(bg, bunstore.Changing)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := fn(db.With(bg, tx)); err != nil {
		return err
	}
	return tx.Commit(bg)
}
