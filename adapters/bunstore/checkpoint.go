package bunstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// Checkpoint truncates SQLite's write-ahead log if it exceeds limit bytes. SQLite itself reuses the log from its
// beginning only while there are no readers, and never shrinks it. While a reader needs the log, such as a backup, it
// stays as it is until a later call. Writers wait only for the truncation of a log that has been moved to the database.
func (db *DB) Checkpoint(ctx context.Context, limit int64) error {
	if db.file == nil || db.file.inPlace() != nil {
		return nil //nolint:nilerr // Check reports it
	}
	info, err := os.Stat(db.file.path + "-wal")
	switch {
	case errors.Is(err, fs.ErrNotExist), err == nil && info.Size() <= limit:
		return nil
	case err != nil:
		return err
	}
	// The usual busy timeout would block writers for too long.
	pool, err := sqlitePool(db.file.path, 1, db.observe, nil, "busy_timeout(20)")
	if err != nil {
		return err
	}
	// TRUNCATE blocks writers while it waits for readers, PASSIVE does not.
	for _, mode := range []string{"PASSIVE", "TRUNCATE"} {
		var busy, frames, moved sql.NullInt64
		err = pool.QueryRowContext(ctx, "PRAGMA wal_checkpoint("+mode+")").Scan(&busy, &frames, &moved)
		if err != nil || busy.Int64 != 0 || moved.Int64 < frames.Int64 {
			break
		}
	}
	if db.Retryable(err) {
		err = nil // treated as busy
	}
	if err != nil {
		err = fmt.Errorf("empty the write-ahead log: %w", err)
	}
	return errors.Join(err, pool.Close())
}
