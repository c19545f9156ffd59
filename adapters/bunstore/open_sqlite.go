package bunstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/sqlitedialect"
	"modernc.org/sqlite" // pure Go, so that one static binary holds everything
)

// openSQLite opens one writing connection and a few read-only ones. A single pool was measured at two thirds of the
// writes per second and a hundred times the worst latency. synchronous=FULL is required because a log entry that
// clients have seen could otherwise be lost in a power cut, and its number reused. With batches, it costs a tenth of
// the throughput.
func openSQLite(ctx context.Context, c Config) (*DB, error) {
	path, stored := sqlitePath(c.URL)
	db := &DB{dialect: sqliteDialect{}, observe: c.Observe, patience: c.Patience}
	busy := fmt.Sprintf("busy_timeout(%d)", db.Timeout(5*time.Second).Milliseconds())
	if !stored {
		// SQLite's :memory: does not support a writer concurrent with readers, so use a file in a memory file system.
		dir, err := os.MkdirTemp(memoryDir(), "stoa-*")
		if err != nil {
			return nil, fmt.Errorf("open database: %w", err)
		}
		path = filepath.Join(dir, "stoa.db")
		db.cleanup = func() error { return os.RemoveAll(dir) }
	}
	if err := sqliteFile(path, c.Existing); err != nil {
		return nil, err
	}
	if c.Exclusive && stored {
		release, err := lock(path)
		if err != nil {
			return nil, err
		}
		db.cleanup = release
	}
	file := &databaseFile{path: path, temporary: !stored}
	write, err := sqlitePool(path, 1, c.Observe, file.failed, busy, "journal_mode(WAL)", "synchronous(FULL)",
		"foreign_keys(1)")
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	read, err := sqlitePool(path, max(4, runtime.NumCPU()), c.Observe, nil, busy, "query_only(1)", "foreign_keys(1)")
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	db.pools = [pools]*bun.DB{Reading: read, Changing: write, Batching: write}
	if err := db.open(ctx); err != nil {
		return nil, err
	}
	if err := file.identify(ctx, db, c.Existing); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	db.file = file
	return db, nil
}

// sqlitePath returns the path in the URL of a SQLite database, or false for a database in memory or another database.
func sqlitePath(url string) (string, bool) {
	path, ok := strings.CutPrefix(url, "sqlite:")
	return path, ok && path != ":memory:"
}

// sqliteFile checks a database's path and creates the file if it is missing. Errors: ErrMissing; *OpenError if the
// folder does not exist, which is usually a typo.
func sqliteFile(path string, existing bool) error {
	if _, err := os.Stat(path); err == nil {
		return nil
	}
	dir := filepath.Dir(path)
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return &OpenError{
			Cause:  fmt.Sprintf("the folder %s of the SQLite database does not exist", dir),
			Remedy: "create it, or correct the path",
			err:    err,
		}
	}
	if existing {
		return ErrMissing
	}
	// Create the file here, since SQLite would make it readable by other users. SQLite's additional files inherit the
	// mode.
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o600) //nolint:gosec // the operator names it
	if err != nil {
		return fmt.Errorf("open database: %w", err)
	}
	return f.Close()
}

// sqlitePool opens a pool for an existing file: SQLite must not create one in place of a file that was removed. failed,
// if not nil, receives the errors of statements.
func sqlitePool(path string, conns int, observe func(string), failed func(error), pragmas ...string) (*bun.DB, error) {
	q := url.Values{"mode": {"rw"}, "_txlock": {"immediate"}, "_pragma": pragmas}
	to, err := sqlite.NewConnector(sqliteURI(path) + "?" + q.Encode())
	if err != nil {
		return nil, fmt.Errorf("open database: %w", err)
	}
	return newPool(sql.OpenDB(cachingConnector{to, failed}), sqlitedialect.New(), conns, observe), nil
}

func sqliteURI(path string) string { return "file:" + (&url.URL{Path: path}).EscapedPath() }

func memoryDir() string {
	if s, err := os.Stat("/dev/shm"); err == nil && s.IsDir() {
		return "/dev/shm"
	}
	return ""
}
