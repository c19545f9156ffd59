package bunstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// Checkpoint empties SQLite's write-ahead log if it has more bytes than limit. SQLite itself only uses a log again
// from its beginning when nobody reads at that moment, and never makes it smaller. Whoever writes waits a fraction of
// a second at most; if somebody reads for longer, the log stays, and a later call empties it.
func (db *DB) Checkpoint(ctx context.Context, limit int64) error {
	if db.file == "" {
		return nil
	}
	info, err := os.Stat(db.file + "-wal")
	switch {
	case errors.Is(err, fs.ErrNotExist), err == nil && info.Size() <= limit:
		return nil
	case err != nil:
		return err
	}
	pool, err := sqlitePool(
		db.file,
		1,
		db.observe,
		"busy_timeout(250)",
	) // that of the others is too long to keep writers waiting
	if err != nil {
		return err
	}
	var busy, frames, moved sql.NullInt64
	err = pool.QueryRowContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)").Scan(&busy, &frames, &moved)
	if db.Retryable(err) {
		err = nil // as busy
	}
	if err != nil {
		err = fmt.Errorf("empty the write-ahead log: %w", err)
	}
	return errors.Join(err, pool.Close())
}
