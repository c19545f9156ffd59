package bunstore_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/adapters/bunstore/storetest"
)

// TestCheckpoint checks that the write-ahead log is truncated once no reader needs it, and that a long-running reader
// does not block writers.
func TestCheckpoint(t *testing.T) {
	path := filepath.Join(t.TempDir(), "stoa.db")
	db := storetest.OpenURL(t, bunstore.Config{URL: "sqlite:" + path})
	must(t, db.Migrate(bg, []bunstore.Migrations{{Module: "m", FS: files(things)}}))
	const limit = 1 << 20
	size := func() int64 {
		t.Helper()
		info, err := os.Stat(path + "-wal")
		must(t, err)
		return info.Size()
	}
	next := int64(0)
	write := func() {
		t.Helper()
		tx, _, err := db.Begin(bg, bunstore.Changing)
		must(t, err)
		next++
		must(t, add(db.With(bg, tx), db, next, fmt.Sprint(next, strings.Repeat("x", limit))))
		must(t, tx.Commit(bg))
	}
	reader, _, err := db.Begin(bg, bunstore.Reading)
	must(t, err)
	if n := count(t, db.With(bg, reader), db); n != 0 {
		t.Fatalf("%d rows", n)
	}
	for range 4 {
		write()
		must(t, db.Checkpoint(bg, limit))
	}
	if n := count(t, db.With(bg, reader), db); n != 0 || size() < 4*limit {
		t.Errorf("with an open reader: %d rows, a log of %d bytes", n, size())
	}
	reader.Rollback()
	must(t, db.Checkpoint(bg, 100*limit))
	if size() < 4*limit {
		t.Error("a log within the limit was truncated")
	}
	must(t, db.Checkpoint(bg, limit))
	if size() != 0 {
		t.Errorf("the log has %d bytes", size())
	}
	write()
	if n := count(t, bg, db); n != 5 {
		t.Errorf("%d rows", n)
	}
}
