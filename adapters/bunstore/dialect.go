package bunstore

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/uptrace/bun"
	"modernc.org/sqlite"

	"github.com/stoachat/stoa/domain/errs"
)

// dialect is all in which the two databases differ. A store never asks which one it is on: it uses a fragment from
// here.
type dialect interface {
	name() string // of the folder of migrations
	oneWriter() bool
	begin(p Purpose) string
	forUpdate(q *bun.SelectQuery) *bun.SelectQuery
	lock(k Lock, id int64) string // "" where the write transaction is the lock
	patient() string              // lets the statements of this transaction take and wait as long as they need
	timeline() string             // query of one text that changes when the database was restored to an earlier point
	rowID() string                // the column that every row of a table has
	columns() string              // query of (table, column, nullable) of all tables
	matchWords(table string, all [][]string) (condition, argument string)
	byIndex(table, alias, index string) string
	among(column string) string // a condition: that the column has one of the values of a subselect, which is its argument
	byteOrder(column string) string
	classify(err error) class
	// run sends the statements in as few round trips as possible and gives the number that the last one selects (0: no
	// row), and the tag of the last one.
	run(ctx context.Context, c *sql.Conn, tell func(string), stmts []string) (int64, string, error)
}

// Lock names what an advisory lock protects.
type Lock int64

// The locks, in the order in which one transaction may take them.
const (
	MigrationLock Lock = 1
	LaneLock      Lock = 2 // changes of one realm's shared facts
	RealmLock     Lock = 3 // a realm's place in order
)

type class int

const (
	other class = iota
	conflict
	retryable
	gone
)

// ForUpdate locks the rows that q selects until the transaction ends, where the database has row locks.
func (db *DB) ForUpdate(q *bun.SelectQuery) *bun.SelectQuery { return db.dialect.forUpdate(q) }

// ByIndex gives a table under an alias, to be read by that index where the database would not find out by itself that
// it is the best.
func (db *DB) ByIndex(table, alias, index string) string {
	return db.dialect.byIndex(table, alias, index)
}

// HasBit is the condition that a column of bits has the one that is its argument, in two forms: that of the partial
// indexes of SQLite, and that of those of PostgreSQL, which expects many rows of the first one.
func HasBit(column string) string {
	return "(" + column + " & ?0) <> 0 AND (" + column + " & ?0) = ?0"
}

// Among is the condition that a column has one of the values of a subselect, its argument, which is run once: how rows
// are found by those values must not depend on how many the database thinks there are.
func (db *DB) Among(column string) string { return db.dialect.among(column) }

// ByteOrder returns a column of text as it compares by bytes, whatever the order of the database is.
func (db *DB) ByteOrder(column string) string { return db.dialect.byteOrder(column) }

// Conflict tells whether err is a violation of a unique key. On PostgreSQL the transaction is lost then: where a
// conflict is expected, insert with ON CONFLICT DO NOTHING and look at the rows affected.
func (db *DB) Conflict(err error) bool { return err != nil && db.dialect.classify(err) == conflict }

// Retryable tells whether the same transaction may succeed when it is run again: deadlock, serialization failure, busy.
func (db *DB) Retryable(err error) bool { return err != nil && db.dialect.classify(err) == retryable }

// Unavailable tells whether err means that the database could not be reached, or did not answer in time.
func (db *DB) Unavailable(err error) bool {
	return err != nil && (errs.Is(err, errs.Unavailable) || db.dialect.classify(err) == gone)
}

// LockSQL is the statement that takes an advisory lock until the end of the transaction; "" where the write transaction
// itself is the lock.
func (db *DB) LockSQL(k Lock, id int64) string { return db.dialect.lock(k, id) }

// OneWriter tells whether a write transaction excludes every other from its beginning.
func (db *DB) OneWriter() bool { return db.dialect.oneWriter() }

// Timeline gives a text that is another one after the database was restored to an earlier point in time, as far as the
// database can tell; "" where it can't.
func (db *DB) Timeline(ctx context.Context) (string, error) {
	q := db.dialect.timeline()
	if q == "" {
		return "", nil
	}
	var s string
	err := db.From(ctx).NewRaw(q).Scan(ctx, &s)
	return s, err
}

type postgresDialect struct{}

func (postgresDialect) name() string    { return "postgres" }
func (postgresDialect) oneWriter() bool { return false }

func (postgresDialect) begin(p Purpose) string {
	if p == Reading {
		return "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
	}
	return "BEGIN ISOLATION LEVEL READ COMMITTED"
}

func (postgresDialect) forUpdate(q *bun.SelectQuery) *bun.SelectQuery { return q.For("UPDATE") }

func (postgresDialect) byIndex(table, alias, _ string) string { return table + " AS " + alias } // it has statistics

// among makes an array of the values. Statistics say nothing about that; those of a subselect that has just been filled
// say that it is empty, and the plan would be to run it for every row.
func (postgresDialect) among(column string) string { return column + " = ANY(ARRAY(?))" }

func (postgresDialect) lock(k Lock, id int64) string {
	return fmt.Sprintf("SELECT pg_advisory_xact_lock(%d)", int64(k)<<56|id&(1<<56-1))
}

func (postgresDialect) patient() string {
	return "SET LOCAL lock_timeout = 0; SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0"
}

func (postgresDialect) timeline() string {
	return "SELECT CASE WHEN pg_is_in_recovery() THEN '' ELSE substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) END"
}

func (postgresDialect) columns() string {
	return `SELECT table_name AS "table", column_name AS "column", is_nullable = 'YES' AS nullable FROM information_schema.columns
		WHERE table_schema = current_schema() AND is_generated = 'NEVER' ORDER BY 1, 2`
}

func (postgresDialect) run(
	ctx context.Context,
	c *sql.Conn,
	tell func(string),
	stmts []string,
) (n int64, tag string, err error) {
	text := join(stmts)
	if tell != nil {
		tell(text)
	}
	err = c.Raw(func(driverConn any) error {
		pg, ok := driverConn.(*stdlib.Conn)
		if !ok {
			return fmt.Errorf("unexpected driver connection %T", driverConn)
		}
		if pg.Conn().IsClosed() {
			return driver.ErrBadConn // the only proof that nothing was sent: pgx says "safe to retry" of a lost answer too
		}
		results, err := pg.Conn().PgConn().Exec(ctx, text).ReadAll()
		if err != nil || len(results) == 0 {
			return err
		}
		last := results[len(results)-1]
		tag = last.CommandTag.String()
		if len(last.Rows) == 1 && len(last.Rows[0]) == 1 {
			_, err = fmt.Sscan(string(last.Rows[0][0]), &n)
			if len(last.Rows[0][0]) == 0 { // void
				err = nil
			}
		}
		return err
	})
	return n, tag, err
}

func (postgresDialect) classify(err error) class {
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		switch {
		case pg.Code == "23505":
			return conflict
		case pg.Code == "40001", pg.Code == "40P01", pg.Code == "55P03":
			return retryable
		case pg.Code[:2] == "08", pg.Code[:2] == "57", pg.Code == "53300", pg.Code == "25P03":
			return gone // connection, shutdown, time-out, too many
		}
		return other
	}
	return broken(err)
}

// broken recognizes a connection that is lost.
func broken(err error) class {
	var refused *pgconn.ConnectError
	var network net.Error
	if errors.As(err, &refused) || errors.As(err, &network) || errors.Is(err, driver.ErrBadConn) || errors.Is(err, sql.ErrConnDone) ||
		errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed) ||
		pgconn.SafeToRetry(err) ||
		errs.Is(err, errs.Unavailable) {
		return gone
	}
	return other
}

type sqliteDialect struct{}

func (sqliteDialect) name() string    { return "sqlite" }
func (sqliteDialect) oneWriter() bool { return true }

func (sqliteDialect) begin(p Purpose) string {
	if p == Reading {
		return "BEGIN"
	}
	return "BEGIN IMMEDIATE"
}

func (sqliteDialect) forUpdate(q *bun.SelectQuery) *bun.SelectQuery { return q }
func (sqliteDialect) byIndex(table, alias, index string) string {
	return table + " AS " + alias + " INDEXED BY " + index
}
func (sqliteDialect) among(column string) string { return column + " IN (?)" }

func (sqliteDialect) lock(Lock, int64) string { return "" }
func (sqliteDialect) patient() string         { return "" }
func (sqliteDialect) timeline() string        { return "" }

func (sqliteDialect) columns() string {
	return `SELECT t.name AS "table", c.name AS "column", c."notnull" = 0 AND c.pk = 0 AS nullable
		FROM pragma_table_list t JOIN pragma_table_info(t.name) c WHERE t.schema = 'main' AND t.type <> 'shadow' AND t.name NOT LIKE 'sqlite_%'
		UNION ALL SELECT t.name, 'rowid', 0 FROM pragma_table_list t WHERE t.schema = 'main' AND t.type = 'virtual' ORDER BY 1, 2`
}

func (sqliteDialect) run(
	ctx context.Context,
	c *sql.Conn,
	tell func(string),
	stmts []string,
) (n int64, tag string, err error) {
	if tell != nil {
		tell(join(stmts))
	}
	if err := ctx.Err(); err != nil {
		return 0, "", err
	}
	ctx = context.WithoutCancel(
		ctx,
	) // to watch it costs the driver a goroutine per statement, and these are short, or migrations
	for i, s := range stmts {
		switch {
		case s == "":
		case i == len(stmts)-1 && len(s) > 6 && s[:6] == "SELECT":
			if err = c.QueryRowContext(ctx, s).Scan(&n); errors.Is(err, sql.ErrNoRows) {
				err = nil
			}
		default:
			_, err = c.ExecContext(ctx, s)
		}
		if err != nil {
			return 0, "", err
		}
		tag = s
	}
	return n, tag, nil
}

func (sqliteDialect) classify(err error) class {
	var e *sqlite.Error
	if !errors.As(err, &e) {
		return broken(err)
	}
	switch code := e.Code(); {
	case code == 2067, code == 1555, code == 2579: // UNIQUE, PRIMARY KEY, ROWID
		return conflict
	case code&0xff == 5, code&0xff == 6: // BUSY, LOCKED
		return retryable
	case code&0xff == 10, code&0xff == 13, code&0xff == 14: // IOERR, FULL, CANTOPEN
		return gone
	}
	return other
}

func join(stmts []string) string {
	text := ""
	for _, s := range stmts {
		if s == "" {
			continue
		}
		if text != "" {
			text += "; "
		}
		text += s
	}
	return text
}

func (postgresDialect) byteOrder(column string) string { return column + ` COLLATE "C"` }

func (sqliteDialect) byteOrder(column string) string { return column }
