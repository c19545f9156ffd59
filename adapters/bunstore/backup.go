package bunstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"strings"

	"modernc.org/sqlite"
)

// ErrNotSQLite reports an operation that only SQLite databases support.
var ErrNotSQLite = errors.New("the database is not SQLite")

// perStep is the number of pages copied between two progress reports. They hold 8 MiB.
const perStep = 2048

// Backup copies a SQLite database to a new file. The copy is a consistent snapshot even if others write meanwhile;
// SQLite retains their changes in its write-ahead log until the backup ends. progress receives the number of pages
// copied so far and the total. Errors: ErrNotSQLite.
func (db *DB) Backup(ctx context.Context, path string, progress func(done, all int)) error {
	if db.file == "" {
		return ErrNotSQLite
	}
	// Create the file here, since SQLite would make it readable by other users.
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600) //nolint:gosec // the operator names it
	if err != nil {
		return fmt.Errorf("copy the database: %w", err)
	}
	if err := f.Close(); err != nil {
		return fmt.Errorf("copy the database: %w", err)
	}
	conn, err := db.pools[Reading].DB.Conn(ctx)
	if err != nil {
		return fmt.Errorf("copy the database: %w", err)
	}
	// Inside its own transaction, the copy does not restart after every write.
	if _, err = conn.ExecContext(ctx, "BEGIN; SELECT count(*) FROM sqlite_schema"); err == nil {
		err = conn.Raw(func(c any) error { return copyPages(ctx, c, path, progress) })
		_, rollback := conn.ExecContext(context.WithoutCancel(ctx), "ROLLBACK")
		err = errors.Join(err, rollback)
	}
	if err = errors.Join(err, conn.Close()); err != nil {
		return fmt.Errorf("copy the database: %w", err)
	}
	return nil
}

func copyPages(ctx context.Context, conn any, path string, progress func(done, all int)) error {
	source, ok := conn.(interface {
		NewBackup(path string) (*sqlite.Backup, error)
	})
	if !ok {
		return ErrNotSQLite
	}
	b, err := source.NewBackup(sqliteURI(path))
	if err != nil {
		return err
	}
	for more := true; more && err == nil; {
		if err = ctx.Err(); err == nil {
			more, err = b.Step(perStep)
		}
		if err == nil {
			progress(b.PageCount()-b.Remaining(), b.PageCount())
		}
	}
	return errors.Join(err, b.Finish())
}

// Verify checks the integrity of a whole SQLite database. Errors: ErrNotSQLite.
func (db *DB) Verify(ctx context.Context) error {
	if db.file == "" {
		return ErrNotSQLite
	}
	rows, err := db.pools[Reading].QueryContext(ctx, "PRAGMA integrity_check(10)")
	if err != nil {
		return fmt.Errorf("check the database: %w", err)
	}
	defer func() { _ = rows.Close() }()
	var found []string
	for rows.Next() {
		var line sql.NullString
		if err := rows.Scan(&line); err != nil {
			return fmt.Errorf("check the database: %w", err)
		}
		if line.String != "ok" {
			found = append(found, line.String)
		}
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("check the database: %w", err)
	}
	if len(found) > 0 {
		return fmt.Errorf("the database is damaged: %s", strings.Join(found, "; "))
	}
	return nil
}
