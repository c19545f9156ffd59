package bunstore_test

import (
	"context"
	"errors"
	"io"
	"slices"
	"testing"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/adapters/bunstore/storetest"
)

const (
	copied = `CREATE TABLE notes (id {id}, at {time}, done boolean NOT NULL, body text NOT NULL, raw {bytes});
		CREATE INDEX notes_done ON notes (id) WHERE done;
		CREATE TABLE pairs (b text NOT NULL, a {int} NOT NULL, PRIMARY KEY (b, a)) {clustered};`
	copiedRows = `INSERT INTO notes (id, at, done, body, raw) VALUES
			(1, '2026-01-02 03:04:05.678901+00:00', true, 'tab	backslash \ end', NULL),
			(2, NULL, false, '', ?), (900, '2026-01-02 03:04:05+00:00', false, '
new line äö \N', ?);
		DELETE FROM notes WHERE id = 900;
		INSERT INTO notes (id, done, body) VALUES (3, true, '\.');
		INSERT INTO pairs VALUES ('b', 1), ('B', -9223372036854775808), ('ä', 2), ('b', -1)`
)

// content returns all rows of a database, and the highest IDs.
func content(t *testing.T, db *bunstore.DB) (rows map[string][]string, last map[string]int64) {
	t.Helper()
	d, err := db.Dump(bg)
	must(t, err)
	defer d.Close()
	all, err := d.Relations(bg)
	must(t, err)
	rows = map[string][]string{}
	for _, r := range all {
		must(t, d.Rows(bg, r, func(row bunstore.Row) error {
			rows[r.Name] = append(rows[r.Name], string(row))
			return nil
		}))
	}
	last, err = d.LastIDs(bg)
	must(t, err)
	return rows, last
}

// Rows have the same form on both databases, and are the same after they were copied from one to the other and back.
func TestRowsAreCopied(t *testing.T) {
	all := []bunstore.Migrations{{Module: "m", FS: files(copied)}}
	first := storetest.OpenURL(t, bunstore.Config{URL: storetest.SQLiteURL(t)})
	must(t, first.Migrate(bg, all))
	fill(t, first)
	rows, last := content(t, first)
	if len(rows["notes"]) != 3 || len(rows["pairs"]) != 4 || last["notes"] != 900 {
		t.Fatalf("%q %v", rows, last)
	}
	urls := []string{storetest.SQLiteURL(t)}
	if storetest.Postgres() {
		urls = []string{storetest.URL(t), storetest.SQLiteURL(t)}
	}
	from := first
	for _, url := range urls {
		to := storetest.OpenURL(t, bunstore.Config{URL: url})
		replicate(t, from, to, all)
		got, ids := content(t, to)
		for name := range rows {
			if !slices.Equal(got[name], rows[name]) {
				t.Errorf("%s: %q, want %q", name, got[name], rows[name])
			}
		}
		if ids["notes"] != 900 || len(ids) != len(last) {
			t.Errorf("last IDs %v, want %v", ids, last)
		}
		from = to
	}
}

func fill(t *testing.T, db *bunstore.DB) {
	t.Helper()
	tx, _, err := db.Begin(bg, bunstore.Changing)
	must(t, err)
	defer tx.Rollback()
	text, err := db.Text(db.From(bg).NewRaw(copiedRows, []byte{}, []byte{0, '\\', '\n', 255}))
	must(t, err)
	_, err = tx.Run(bg, text)
	must(t, err)
	must(t, tx.Commit(bg))
}

func replicate(t *testing.T, from, to *bunstore.DB, all []bunstore.Migrations) {
	t.Helper()
	must(t, to.BeginRestore(bg, "elsewhere", "now"))
	done, err := from.Applied(bg)
	must(t, err)
	must(t, to.MigrateTo(bg, all, done))
	d, err := from.Dump(bg)
	must(t, err)
	defer d.Close()
	tables, err := d.Relations(bg)
	must(t, err)
	for _, r := range tables {
		var rows []bunstore.Row
		must(t, d.Rows(bg, r, func(row bunstore.Row) error { rows = append(rows, slices.Clone(row)); return nil }))
		n, err := to.Load(bg, r, true, func() (bunstore.Row, error) {
			if len(rows) == 0 {
				return nil, io.EOF
			}
			row := rows[0]
			rows = rows[1:]
			return row, nil
		})
		must(t, err)
		if n == 0 {
			t.Errorf("no rows in %s", r.Name)
		}
	}
	last, err := d.LastIDs(bg)
	must(t, err)
	for table, id := range last {
		must(t, to.SetLastID(bg, table, id))
	}
	must(t, to.EndRestore(bg))
}

// A restore that was interrupted is noticed, and begins anew; a database with tables is not touched.
func TestUnfinishedRestore(t *testing.T) {
	db := storetest.Open(t)
	must(t, db.CheckRestored(bg))
	must(t, db.BeginRestore(bg, "there", "noon"))
	must(t, db.MigrateTo(bg, []bunstore.Migrations{{Module: "m", FS: files(copied)}},
		[]bunstore.Applied{{Module: "m", Name: "001_step"}}))
	var unfinished *bunstore.UnfinishedRestoreError
	if err := db.CheckRestored(bg); !errors.As(err, &unfinished) || unfinished.Source != "there" {
		t.Errorf("got %v", err)
	}
	must(t, db.BeginRestore(bg, "elsewhere", "later"))
	if tables, err := db.Relations(context.Background()); err != nil || len(tables) > 0 {
		t.Errorf("tables left: %v, %v", tables, err)
	}
	must(t, db.EndRestore(bg))
	must(t, db.CheckRestored(bg))
	must(t, db.Migrate(bg, []bunstore.Migrations{{Module: "m", FS: files(copied)}}))
	if err := db.BeginRestore(bg, "there", "noon"); !errors.Is(err, bunstore.ErrNotEmpty) {
		t.Errorf("got %v", err)
	}
}
