package bunstore_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/adapters/bunstore/storetest"
)

// fileDatabase opens a database in a new file.
func fileDatabase(t *testing.T) (*bunstore.DB, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "stoa.db")
	db := storetest.OpenURL(t, bunstore.Config{URL: "sqlite:" + path})
	must(t, db.Migrate(bg, []bunstore.Migrations{{Module: "m", FS: files(things)}}))
	must(t, db.Probe(bg, true))
	must(t, db.Check(bg))
	return db, path
}

// addOne adds a row in a transaction.
func addOne(db *bunstore.DB, id int64, name string) error {
	t, _, err := db.Begin(bg, bunstore.Changing)
	if err != nil {
		return err
	}
	if err := add(db.With(bg, t), db, id, name); err != nil {
		t.Rollback()
		return err
	}
	return t.Commit(bg)
}

// check probes the database and compares its health with a part of an error, or "" for none.
func check(t *testing.T, db *bunstore.DB, want string) {
	t.Helper()
	must(t, db.Probe(bg, true))
	if err := db.Check(bg); (err != nil) != (want != "") || err != nil && !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want %q", err, want)
	}
}

// The database notices that its file was removed, and creates no new one in its place.
func TestFileRemoved(t *testing.T) {
	db, path := fileDatabase(t)
	moved := path + ".moved"
	must(t, os.Rename(path, moved))
	check(t, db, "was removed")
	if err := addOne(db, 1, "a"); !db.Unavailable(err) {
		t.Errorf("a write to the removed file: %v", err)
	}
	must(t, db.Checkpoint(bg, -1))
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file was created: %v", err)
	}
	must(t, os.Rename(moved, path))
	must(t, addOne(db, 1, "a"))
	check(t, db, "")
}

// The database notices that its file was replaced, by another file or by other content.
func TestFileReplaced(t *testing.T) {
	for name, replace := range map[string]func(other, path string) error{
		"another file": os.Rename,
		"other content": func(other, path string) error {
			text, err := os.ReadFile(other)
			if err != nil {
				return err
			}
			return os.WriteFile(path, text, 0o600)
		},
	} {
		t.Run(name, func(t *testing.T) {
			other := filepath.Join(t.TempDir(), "other.db")
			one, err := bunstore.Open(bg, bunstore.Config{URL: "sqlite:" + other})
			must(t, err)
			must(t, one.Close()) // empties its write-ahead log
			db, path := fileDatabase(t)
			must(t, db.Checkpoint(bg, -1))
			must(t, replace(other, path))
			check(t, db, "was replaced")
		})
	}
}

// A write that fails because the disk is full makes the database unhealthy until one succeeds.
func TestFullDisk(t *testing.T) {
	db, _ := fileDatabase(t)
	limit := func(pages int) {
		t.Helper()
		tx, _, err := db.Begin(bg, bunstore.Changing)
		must(t, err)
		_, err = tx.Run(bg, "SELECT 1", "PRAGMA max_page_count = "+strconv.Itoa(pages))
		must(t, err)
		must(t, tx.Commit(bg))
	}
	limit(1)
	if err := addOne(db, 1, strings.Repeat("x", 1<<20)); !db.Unavailable(err) {
		t.Errorf("a write to the full disk: %v", err)
	}
	if err := db.Check(bg); err == nil || !strings.Contains(err.Error(), "cannot be written") {
		t.Errorf("the database is healthy: %v", err)
	}
	limit(1 << 20)
	check(t, db, "")
}

// Only one process serves a SQLite database; others may use it.
func TestExclusive(t *testing.T) {
	path := filepath.Join(t.TempDir(), "stoa.db")
	link := filepath.Join(t.TempDir(), "link.db")
	must(t, os.Symlink(path, link))
	c := bunstore.Config{URL: "sqlite:" + path, Exclusive: true}
	first, err := bunstore.Open(bg, c)
	must(t, err)
	var inUse *bunstore.InUseError
	for _, p := range []string{path, link} {
		_, err := bunstore.Open(bg, bunstore.Config{URL: "sqlite:" + p, Exclusive: true})
		if !errors.As(err, &inUse) || inUse.PID != strconv.Itoa(os.Getpid()) {
			t.Errorf("the second server: %v", err)
		}
	}
	storetest.OpenURL(t, bunstore.Config{URL: c.URL})
	must(t, first.Close())
	storetest.OpenURL(t, c)
}
