package bunstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/uptrace/bun"
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
	if db.file == nil {
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

// File returns the path of a SQLite database, or "" for PostgreSQL and databases in memory.
func (db *DB) File() string {
	if db.file == nil || db.file.temporary {
		return ""
	}
	return db.file.path
}

const countSteps = "SELECT count(*) FROM schema_migrations"

// Steps returns the number of migrations applied to a database that has been migrated before.
func (db *DB) Steps(ctx context.Context) (n int, err error) {
	err = db.From(ctx).NewRaw(countSteps).Scan(ctx, &n)
	return n, err
}

// Steps returns the number of migrations applied to a copy of a SQLite database, which it does not change.
func Steps(ctx context.Context, path string) (n int, err error) {
	db, err := sql.Open("sqlite", sqliteURI(path)+"?mode=ro&immutable=1")
	if err != nil {
		return 0, err
	}
	err = db.QueryRowContext(ctx, countSteps).Scan(&n)
	return n, errors.Join(err, db.Close())
}

// Verify checks that a SQLite database can be read as a whole: the structure of each table and index, and each row. The
// tables are checked concurrently. Verify does not compare indexes with their tables, and does not compute the index of
// words again: a copy cannot lose their consistency without damage to its pages. Errors: ErrNotSQLite.
func (db *DB) Verify(ctx context.Context) error {
	if db.file == nil {
		return ErrNotSQLite
	}
	var tables []string
	err := db.pools[Reading].NewRaw("SELECT name FROM pragma_table_list "+
		"WHERE schema = 'main' AND type IN ('table', 'shadow')").Scan(ctx, &tables)
	if err != nil {
		return fmt.Errorf("check the database: %w", err)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	next := make(chan string)
	var running sync.WaitGroup
	for range verifiers {
		running.Go(func() {
			for table := range next {
				if err := db.verify(ctx, table); err != nil {
					cancel(err) // the first error remains the cause
				}
			}
		})
	}
	for _, t := range tables {
		next <- t
	}
	close(next)
	running.Wait()
	return context.Cause(ctx)
}

// DamageError describes the damage that Verify has found.
type DamageError struct{ Lines []string }

// Error names the first lines.
func (e *DamageError) Error() string {
	return "the database is damaged: " + strings.Join(e.Lines[:min(len(e.Lines), 10)], "; ")
}

// OfEntries reports whether only the entries of indexes are damaged, which can be written again.
func (e *DamageError) OfEntries() bool {
	return !slices.ContainsFunc(e.Lines, func(line string) bool {
		return !strings.HasPrefix(line, "wrong # of entries in index ")
	})
}

// verifiers is the number of tables that Verify checks at once.
const verifiers = 4

// verify checks a table and the structure of its indexes.
func (db *DB) verify(ctx context.Context, table string) error {
	rows, err := db.pools[Reading].QueryContext(ctx, "PRAGMA quick_check(?)", bun.Ident(table))
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
		return &DamageError{found}
	}
	return nil
}
