package bunstore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync/atomic"
	"syscall"

	"modernc.org/sqlite"
)

// databaseFile is the file of a SQLite database, as it was when it was opened. A process keeps using a file that was
// removed or replaced, so that everything it stores is lost.
type databaseFile struct {
	path      string
	temporary bool                  // of a database in memory
	opened    os.FileInfo           // device and inode
	id        int64                 // in the file's header; 0: none, in a database that was never opened for writing
	foreign   atomic.Bool           // its content is another database's
	failure   atomic.Pointer[error] // of a write; nil after a write that succeeded
}

// identify records which file is open, and gives the database an ID if it has none and existing is not set.
func (f *databaseFile) identify(ctx context.Context, db *DB, existing bool) error {
	err := db.pools[Reading].QueryRowContext(ctx, "PRAGMA application_id").Scan(&f.id)
	if err == nil && f.id == 0 && !existing {
		err = f.create(ctx, db)
	}
	if err == nil {
		f.opened, err = os.Stat(f.path)
	}
	if err != nil {
		return fmt.Errorf("open database: %w", err)
	}
	return nil
}

// create gives the database an ID, unless another process has just done so.
func (f *databaseFile) create(ctx context.Context, db *DB) error {
	tx, err := db.pools[Changing].DB.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	err = tx.QueryRowContext(ctx, "PRAGMA application_id").Scan(&f.id)
	if err == nil && f.id == 0 {
		f.id = int64(rand.Int32N(1<<31-1) + 1) // tells databases apart
		_, err = tx.ExecContext(ctx, f.setID())
	}
	if err != nil {
		return errors.Join(err, tx.Rollback())
	}
	return tx.Commit()
}

// setID returns the statement that writes the ID into the header, even if that does not change it.
func (f *databaseFile) setID() string { return fmt.Sprintf("PRAGMA application_id = %d", f.id) }

// failed records an error of the writing connection if it means that nothing can be stored.
func (f *databaseFile) failed(err error) {
	var e *sqlite.Error
	if !errors.As(err, &e) {
		return
	}
	switch e.Code() & 0xff {
	case 8, 10, 13, 14: // READONLY, IOERR, FULL, CANTOPEN
		f.failure.Store(&err)
	}
}

// Full reports whether err means that there is no space left for a file, such as a SQLite database.
func Full(err error) bool {
	var e *sqlite.Error
	return errors.As(err, &e) && e.Code()&0xff == 13 || errors.Is(err, syscall.ENOSPC)
}

// inPlace returns an error if the file was removed or replaced. SQLite itself would keep writing to the removed one.
func (f *databaseFile) inPlace() error {
	now, err := os.Stat(f.path)
	remedy := fmt.Sprintf("nothing more is stored: copy what you need by the API or, on Linux, from /proc/%d/fd, then "+
		"stop the server, delete %[2]s-wal and %[2]s-shm, and restore a backup", os.Getpid(), filepath.Base(f.path))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("the database file %s was removed while the server runs; %s", f.path, remedy)
	case err != nil:
		return fmt.Errorf("the database file: %w", err)
	case !os.SameFile(f.opened, now) || f.foreign.Load():
		return fmt.Errorf("the database file %s was replaced by another one while the server runs; %s", f.path, remedy)
	}
	return nil
}

// check reports whether the file is in place, and whether the last write failed.
func (f *databaseFile) check() error {
	if err := f.inPlace(); err != nil {
		return err
	}
	if failure := f.failure.Load(); failure != nil {
		return fmt.Errorf("the database cannot be written: %w; free some space, or make the disk writable", *failure)
	}
	return nil
}

// Writable reports whether nothing is known that prevents writing. On PostgreSQL it returns true.
func (db *DB) Writable() bool { return db.file == nil || db.file.check() == nil }

// Check verifies that the database responds and, on SQLite, that its file is in place and the last write succeeded.
func (db *DB) Check(ctx context.Context) error {
	if db.file != nil {
		if err := db.file.check(); err != nil {
			return err
		}
	}
	return db.Ping(ctx)
}

// Probe looks for what Check reports but no request would notice. It writes if a write has failed, or if suspicious is
// set. On PostgreSQL it does nothing.
func (db *DB) Probe(ctx context.Context, suspicious bool) error {
	f := db.file
	if f == nil || f.id == 0 || f.inPlace() != nil {
		return nil //nolint:nilerr // Check reports it
	}
	// A new connection, because the others have the header in memory.
	pool, err := sqlitePool(f.path, 1, db.observe, nil, "busy_timeout(250)", "query_only(1)")
	if err != nil {
		return err
	}
	var id int64
	if err := pool.QueryRowContext(ctx, "PRAGMA application_id").Scan(&id); err == nil {
		f.foreign.Store(id != f.id)
	}
	if err := pool.Close(); err != nil {
		return err
	}
	if suspicious || f.failure.Load() != nil {
		if _, err := db.pools[Changing].ExecContext(ctx, f.setID()); err == nil { // the connection records an error
			f.failure.Store(nil)
		}
	}
	return nil
}

// InUseError reports that another process has opened a SQLite database with Config.Exclusive.
type InUseError struct {
	File string
	PID  string // of the process, or "" if it is unknown
}

func (e *InUseError) Error() string {
	by := "another process"
	if e.PID != "" {
		by = "process " + e.PID
	}
	return fmt.Sprintf("the SQLite database %s is in use by a server (%s)", e.File, by)
}

// lockFile returns the path of the lock file of a database. It does not depend on the path by which that is named. The
// database itself must not be locked: closing it anywhere in the process would release SQLite's own locks.
func lockFile(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	return path + ".lock"
}

// MissingSQLite reports whether a database URL names a SQLite file that does not exist or is empty, and returns its
// path.
func MissingSQLite(url string) (string, bool) {
	path, ok := sqlitePath(url)
	if !ok {
		return "", false
	}
	info, err := os.Stat(path)
	return path, errors.Is(err, fs.ErrNotExist) || err == nil && info.Size() == 0
}
