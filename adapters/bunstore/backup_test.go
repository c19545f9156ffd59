package bunstore_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stoachat/stoa/adapters/bunstore"
)

// TestVerify checks that Verify accepts an intact database, including an index of words, and finds damage to the pages
// of a table, of an index and of the index of words.
func TestVerify(t *testing.T) {
	for _, damaged := range []string{"", "rows", "rows_of", "words_data"} {
		path := filepath.Join(t.TempDir(), "stoa.db")
		db, err := bunstore.Open(t.Context(), bunstore.Config{URL: "sqlite:" + path})
		if err != nil {
			t.Fatal(err)
		}
		exec := func(text string, args ...any) {
			t.Helper()
			tx, _, err := db.Begin(t.Context(), bunstore.Changing)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := db.From(db.With(t.Context(), tx)).ExecContext(t.Context(), text, args...); err != nil {
				t.Fatal(err)
			}
			if err := tx.Commit(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		exec("CREATE TABLE rows (id INTEGER PRIMARY KEY, text TEXT)")
		exec("CREATE INDEX rows_of ON rows (text)")
		exec("CREATE VIRTUAL TABLE words USING fts5(text)")
		exec("INSERT INTO rows (text) WITH RECURSIVE s(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM s WHERE i < 5000) " +
			"SELECT 'text ' || i FROM s")
		exec("INSERT INTO words (rowid, text) SELECT id, text FROM rows")
		var page, size int64
		if damaged != "" {
			err := db.From(t.Context()).NewRaw("SELECT rootpage, (SELECT page_size FROM pragma_page_size) AS size FROM "+
				"sqlite_schema WHERE name = ?", damaged).Scan(t.Context(), &page, &size)
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := db.Close(); err != nil { // writes everything into the file
			t.Fatal(err)
		}
		if damaged != "" {
			f, err := os.OpenFile(path, os.O_RDWR, 0)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := f.WriteAt([]byte(strings.Repeat("x", 200)), (page-1)*size); err != nil {
				t.Fatal(err)
			}
			if err := f.Close(); err != nil {
				t.Fatal(err)
			}
		}
		if db, err = bunstore.Open(t.Context(), bunstore.Config{URL: "sqlite:" + path}); err != nil {
			t.Fatal(err)
		}
		if err := db.Verify(t.Context()); (err == nil) != (damaged == "") {
			t.Errorf("damaged %q: %v", damaged, err)
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
