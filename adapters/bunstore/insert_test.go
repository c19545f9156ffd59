package bunstore_test

import (
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/adapters/bunstore/storetest"
)

type sample struct {
	bun.BaseModel `bun:"table:samples"`
	ID            int64 `bun:",pk,autoincrement"`
	Text          string
	Maybe         *string
	Number        int64 `bun:",nullzero"`
	Flag          bool
	Bytes         []byte
	At            time.Time
}

// TestInsertText checks that rows can be read back unchanged, whether they were sent as values or, if there are many,
// as arrays.
func TestInsertText(t *testing.T) {
	db := storetest.Open(t)
	id, bytes, at := "INTEGER PRIMARY KEY AUTOINCREMENT", "BLOB", "TEXT"
	if !db.OneWriter() {
		id, bytes, at = "bigserial PRIMARY KEY", "bytea", "timestamptz"
	}
	table := fmt.Sprintf("CREATE TABLE samples (id %s, text text NOT NULL, maybe text, number bigint, flag boolean, "+
		"bytes %s, at %s)",
		id, bytes, at)
	must(t, db.Migrate(bg, []bunstore.Migrations{{Module: "m", FS: files(table)}}))
	quoted := `NULL`
	var all []sample
	texts := []string{
		"", "plain", "NULL", `it's "quoted"`, `{a,b} \ \\ \'`, "two\nlines\t?", "ümlaut 😀, ?0", " spaces ", `\x00`, "E'x'",
	}
	for i, text := range texts {
		s := sample{Text: text, Flag: i%2 == 0, Number: int64(i), Bytes: []byte{0, '\'', '\\', byte(i)},
			At: time.Unix(int64(i), 0).UTC()}
		if i%3 == 0 {
			s.Maybe = &quoted
		}
		all = append(all, s)
	}
	for _, n := range []int{1, len(all)} {
		tx, _, err := db.Begin(bg, bunstore.Batching)
		must(t, err)
		for from := 0; from < len(all); from += n {
			text, err := bunstore.InsertText(db, all[from:from+n], "id")
			must(t, err)
			_, err = tx.Run(bg, text)
			must(t, err)
		}
		var got []sample
		must(t, db.From(db.With(bg, tx)).NewSelect().Model(&got).Order("id").Scan(bg))
		tx.Rollback()
		for i := range got {
			got[i].ID, got[i].At = 0, got[i].At.UTC()
		}
		if !reflect.DeepEqual(got, all) {
			t.Errorf("%d rows per statement: got %+v", n, got)
		}
	}
}
