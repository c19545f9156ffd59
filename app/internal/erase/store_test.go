package erase

import (
	"context"
	"slices"
	"testing"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/adapters/bunstore/storetest"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

// direct is a unit of work that only opens a transaction.
type direct struct {
	ports.UnitOfWork
	db *bunstore.DB
	n  int
}

func (d *direct) Do(ctx context.Context, fn func(context.Context) error) error {
	d.n++
	tx, _, err := d.db.Begin(ctx, bunstore.Changing)
	if err != nil {
		return err
	}
	if err := fn(d.db.With(ctx, tx)); err != nil {
		return err
	}
	return tx.Commit(ctx)
}

// A realm's rows are found however many rows of other realms lie in between, and the search uses no transaction.
func TestKeyedRows(t *testing.T) {
	db := storetest.Open(t)
	work := &direct{db: db}
	exec := func(query string, args ...any) {
		t.Helper()
		if err := work.Do(t.Context(), func(ctx context.Context) error {
			_, err := db.From(ctx).NewRaw(query, args...).Exec(ctx)
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
	exec("CREATE TABLE things (id bigint PRIMARY KEY, realm_id bigint NOT NULL)")
	exec("CREATE TABLE parts (thing_id bigint NOT NULL)")
	ours, theirs := []int64{2, 3, 5*perWalk - 1, 9 * perWalk}, []int64{1, 4, perWalk, 5 * perWalk, 9*perWalk + 1}
	for i := range int64(2*perKey + 1) {
		ours = append(ours, 7*perWalk+i)
	}
	for r, keys := range map[realm.ID][]int64{1: theirs, 2: ours} {
		for _, k := range keys {
			exec("INSERT INTO things VALUES (?, ?)", k, r)
			exec("INSERT INTO parts VALUES (?)", k)
		}
	}
	work.n = 0
	e := &Eraser{Store: db, Work: work}
	things := kit.Table{Name: "things", Columns: []kit.Column{{Name: "id", Key: true}}}
	parts := kit.Table{Name: "parts", Owner: kit.Owner{Of: "things", Column: "thing_id"}}
	for range 2 {
		if err := e.deleteRows(t.Context(), 2, things, []kit.Table{parts}); err != nil {
			t.Fatal(err)
		}
	}
	if work.n != 6 { // 2 and 3, the next one, the first of the many, these in two blocks, the last
		t.Errorf("%d transactions", work.n)
	}
	for table, column := range map[string]string{"things": "id", "parts": "thing_id"} {
		var left []int64
		if err := db.From(t.Context()).NewRaw("SELECT "+column+" FROM "+table+" ORDER BY 1").Scan(t.Context(),
			&left); err != nil || !slices.Equal(left, theirs) {
			t.Errorf("left in %s: %v, %v", table, left, err)
		}
	}
}
