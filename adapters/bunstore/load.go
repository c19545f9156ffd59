package bunstore

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/uptrace/bun"
)

// unfinishedRestore is the table that exists while the database is being restored.
const unfinishedRestore = "unfinished_restore"

// UnfinishedRestoreError reports that a restore into the database has not been completed.
type UnfinishedRestoreError struct{ Source, Began string }

func (e *UnfinishedRestoreError) Error() string {
	return fmt.Sprintf("the database is incomplete: restoring %s, which began at %s, has not ended; run stoa "+
		"restore again, or choose another database", e.Source, e.Began)
}

// CheckRestored returns *UnfinishedRestoreError if a restore has not been completed.
func (db *DB) CheckRestored(ctx context.Context) error {
	exists, err := db.HasTable(ctx, unfinishedRestore)
	if err != nil || !exists {
		return err
	}
	var e UnfinishedRestoreError
	err = db.From(ctx).NewRaw("SELECT source, began FROM ?", bun.Ident(unfinishedRestore)).Scan(ctx, &e.Source, &e.Began)
	if err != nil {
		return err
	}
	return &e
}

// ErrNotEmpty reports that a database contains tables.
var ErrNotEmpty = errors.New("the database is not empty")

// BeginRestore marks an empty database as incomplete until EndRestore. If an earlier restore was interrupted, it drops
// the tables of that. Errors: ErrNotEmpty.
func (db *DB) BeginRestore(ctx context.Context, source, began string) error {
	err := db.CheckRestored(ctx)
	var earlier *UnfinishedRestoreError
	if err != nil && !errors.As(err, &earlier) {
		return err
	}
	all, err := db.Schema(ctx)
	if err != nil {
		return err
	}
	if len(all) > 0 && earlier == nil {
		return ErrNotEmpty
	}
	if err := db.dialect.beforeLoad(ctx, db); err != nil {
		return err
	}
	var drop []string
	for _, table := range groups(all) {
		if name := table[0].Table; name != unfinishedRestore {
			drop = append(drop, "DROP TABLE "+quoted(name))
		}
	}
	if earlier == nil {
		insert, err := db.Text(db.From(ctx).NewRaw("INSERT INTO unfinished_restore (source, began) VALUES (?, ?)", source,
			began))
		if err != nil {
			return err
		}
		drop = []string{"CREATE TABLE unfinished_restore (source text NOT NULL, began text NOT NULL)", insert}
	}
	return db.runAll(ctx, drop)
}

// EndRestore marks a restored database as complete.
func (db *DB) EndRestore(ctx context.Context) error {
	if err := db.dialect.afterLoad(ctx, db); err != nil {
		return err
	}
	t, _, err := db.Begin(ctx, Changing, db.dialect.disableTimeouts(), "DROP TABLE unfinished_restore")
	if err != nil {
		return err
	}
	defer t.Rollback()
	return t.Commit(ctx)
}

// runAll runs statements in a transaction without time limits.
func (db *DB) runAll(ctx context.Context, stmts []string) error {
	if len(stmts) == 0 {
		return nil
	}
	t, _, err := db.Begin(ctx, Changing, db.dialect.loadSettings())
	if err != nil {
		return err
	}
	defer t.Rollback()
	for _, s := range stmts {
		if _, err := t.Run(ctx, s); err != nil {
			return err
		}
	}
	return t.Commit(ctx)
}

// Relations returns all tables of the database but its list of migrations, sorted by name.
func (db *DB) Relations(ctx context.Context) ([]Relation, error) { return db.relations(ctx) }

// Load replaces the rows of a table. next returns the next row, whose values are those of the columns in r, or io.EOF.
// If there are many, the indexes are built when all rows are there. Load returns the number of rows. If it fails, the
// table is incomplete.
func (db *DB) Load(ctx context.Context, r Relation, many bool, next func() (Row, error)) (n int64, err error) {
	var indexes []struct{ Name, Definition string }
	if many {
		if err := db.From(ctx).NewRaw(db.dialect.indexes(), r.Name).Scan(ctx, &indexes); err != nil {
			return 0, fmt.Errorf("write the table %s: %w", r.Name, err)
		}
	}
	var drop, create []string
	for _, i := range indexes {
		drop, create = append(drop, "DROP INDEX "+quoted(i.Name)), append(create, i.Definition)
	}
	if err = db.runAll(ctx, drop); err == nil {
		n, err = db.dialect.load(ctx, db, r, next)
	}
	if err == nil {
		err = db.runAll(ctx, create)
	}
	if err != nil {
		return 0, fmt.Errorf("write the table %s: %w", r.Name, err)
	}
	return n, nil
}

// SetLastID makes a table's next ID greater than last.
func (db *DB) SetLastID(ctx context.Context, table string, last int64) error {
	return db.runAll(ctx, db.dialect.setLastID(strings.ReplaceAll(table, "'", "''"), last))
}

// Empty deletes all rows of a table.
func (db *DB) Empty(ctx context.Context, table string) error {
	return db.runAll(ctx, []string{"DELETE FROM " + quoted(table)})
}

func (sqliteDialect) load(ctx context.Context, db *DB, r Relation, next func() (Row, error)) (n int64, err error) {
	if err := db.Empty(ctx, r.Name); err != nil {
		return 0, err
	}
	columns := slices.Clone(r.Columns)
	for i, c := range columns {
		columns[i] = quoted(c)
	}
	insert := "INSERT INTO " + quoted(r.Name) + " (" + strings.Join(columns, ", ") + ") VALUES (?" +
		strings.Repeat(", ?", len(columns)-1) + ")"
	for err == nil {
		var block int64
		block, err = loadBlock(ctx, db, insert, len(columns), next)
		n += block
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return n, err
}

// loadBlock inserts rows in one transaction. It returns io.EOF after the last one.
func loadBlock(
	ctx context.Context, db *DB, insert string, columns int, next func() (Row, error),
) (n int64, err error) {
	t, _, err := db.Begin(ctx, Changing)
	if err != nil {
		return 0, err
	}
	defer t.Rollback()
	statement, err := t.conn.PrepareContext(ctx, insert)
	if err != nil {
		return 0, err
	}
	defer func() { _ = statement.Close() }() // it may be closed already
	var end error
	for n < sqliteBlock && end == nil {
		row, err := next()
		if errors.Is(err, io.EOF) {
			end = io.EOF
			break
		}
		if err != nil {
			return 0, err
		}
		values, err := row.Values(columns)
		if err != nil {
			return 0, err
		}
		if _, err := statement.ExecContext(ctx, values...); err != nil {
			return 0, err
		}
		n++
	}
	if err := errors.Join(statement.Close(), t.Commit(ctx)); err != nil {
		return 0, err
	}
	return n, end
}

func (sqliteDialect) setLastID(table string, last int64) []string {
	return []string{
		fmt.Sprintf("DELETE FROM sqlite_sequence WHERE name = '%s'", table),
		fmt.Sprintf("INSERT INTO sqlite_sequence (name, seq) VALUES ('%s', %d)", table, last),
	}
}

func (sqliteDialect) indexes() string {
	return "SELECT name, sql AS definition FROM sqlite_schema WHERE type = 'index' AND tbl_name = ? AND sql IS NOT NULL " +
		"ORDER BY 1"
}

func (sqliteDialect) loadSettings() string { return "" }

// beforeLoad makes commits wait for the disk only at checkpoints: after a power cut, the database is still marked as
// incomplete.
func (sqliteDialect) beforeLoad(ctx context.Context, db *DB) error {
	_, err := db.pools[Changing].ExecContext(ctx, "PRAGMA synchronous = NORMAL")
	return err
}

// afterLoad makes the next commit wait until everything is on the disk.
func (sqliteDialect) afterLoad(ctx context.Context, db *DB) error {
	_, err := db.pools[Changing].ExecContext(ctx, "PRAGMA synchronous = FULL")
	return err
}
