package bunstore_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/adapters/bunstore/storetest"
)

// TestLater checks that deferred statements are sent with the commit, in one round trip where possible, or not at all.
func TestLater(t *testing.T) {
	var sent []string
	db := storetest.OpenURL(t, bunstore.Config{URL: storetest.URL(t),
		Observe: func(sql string) { sent = append(sent, sql) }})
	must(t, db.Migrate(bg, []bunstore.Migrations{{Module: "m", FS: files(things)}}))
	begin := func() (*bunstore.Tx, func(id int64, name string)) {
		t.Helper()
		tx, _, err := db.Begin(bg, bunstore.Batching)
		must(t, err)
		ctx := db.With(bg, tx)
		return tx, func(id int64, name string) {
			t.Helper()
			must(t, db.Later(ctx, db.From(ctx).NewInsert().Model(&thing{ID: id, Name: name})))
			if n := count(t, ctx, db); n != 0 {
				t.Errorf("%d rows before the commit", n)
			}
		}
	}
	tx, later := begin()
	later(1, "a")
	tx.Rollback()
	tx, later = begin()
	later(2, "b")
	later(3, "b")
	if err := tx.Commit(bg, "INSERT INTO things VALUES (4, 'd', '')"); !db.Conflict(err) {
		t.Errorf("conflict in a deferred statement: %v", err)
	}
	if n := count(t, bg, db); n != 0 {
		t.Errorf("failed transactions left %d rows", n)
	}
	tx, later = begin()
	later(5, "e")
	later(6, "f")
	sent = nil
	must(t, tx.Commit(bg, "UPDATE things SET name = 'last' WHERE id = 6"))
	if len(sent) != 1 || !strings.HasSuffix(sent[0], "COMMIT") {
		t.Errorf("sent with the commit: %q", sent)
	}
	var names []string
	must(t, db.From(bg).NewRaw("SELECT name FROM things ORDER BY id").Scan(bg, &names))
	if !slices.Equal(names, []string{"e", "last"}) {
		t.Errorf("got %q", names)
	}
	if err := db.Later(bg, db.From(bg).NewInsert().Model(&thing{ID: 7})); err == nil {
		t.Error("Later outside a transaction succeeded")
	}
}
