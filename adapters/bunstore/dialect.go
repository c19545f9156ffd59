package bunstore

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"
	"modernc.org/sqlite"
)

// dialect contains all differences between the two databases. Stores use its fragments instead of checking which
// database they run on.
type dialect interface {
	name() string             // in the names of its migrations
	words() *strings.Replacer // for the words in braces in migrations
	oneWriter() bool
	begin(c *sql.Conn, p Purpose) string
	standby(err error) bool // whether begin failed because the server accepts no changes
	forUpdate(q *bun.SelectQuery) *bun.SelectQuery
	lock(k Lock, id int64) string // "" if a write transaction excludes all others anyway
	disableTimeouts() string      // a statement that removes the timeouts of this transaction
	timeline() string             // a query for a text that changes when the database is restored to an earlier point
	rowID() string                // the implicit row ID of every table
	columns() string              // a query for the Columns of all tables
	tableBytes() string           // a query for the size of a table, or an upper bound; 0: there is no such table
	matchWords(table string, all [][]string) (condition, argument string)
	mergeWords(table string) string // a statement that merges parts of a full-text index; "" if that is not needed
	byIndex(table, alias, index string) string
	among(column string) string // a condition: the column has one of the values of the subselect given as argument
	eachIn(table, alias, index, condition string) string
	// perRow is PerRow.
	perRow(table, alias string, columns []string, from *bun.SelectQuery) schema.QueryWithArgs
	within(k KeyRange) (condition, order string) // without the direction of the order
	byteOrder(column string) string
	classify(err error) errorClass
	dumpSettings() []string          // statements that begin a dump
	lastIDs() (exists, query string) // queries whether there are sequences, and for the highest IDs of tables
	// dump calls fn with each row that the query returns.
	dump(ctx context.Context, t *Tx, r Relation, query string, fn func(Row) error) error
	// load replaces the rows of a table by those that next returns before io.EOF.
	load(ctx context.Context, db *DB, r Relation, next func() (Row, error)) (int64, error)
	setLastID(table string, last int64) []string // for a table with numbered rows
	indexes() string                             // a query for the indexes of a table that can be created again
	loadSettings() string                        // a statement that begins each transaction of a restore
	beforeLoad(ctx context.Context, db *DB) error
	afterLoad(ctx context.Context, db *DB) error
	checkEntries() string   // a query for the differences between indexes and tables
	reindex() string        // a statement that writes indexes again
	tryLockRestore() string // a query for 1 if this transaction may restore; "" if any may
	// run sends the statements in as few round trips as possible. It returns the number selected by the last statement, or
	// 0 if that returned no row, and the statement's command tag.
	run(ctx context.Context, c *sql.Conn, observeSQL func(string), stmts []string) (int64, string, error)
}

// Lock identifies what an advisory lock protects.
type Lock int64

// The locks, in the order in which a transaction must acquire them.
const (
	MigrationLock Lock = 1
	LaneLock      Lock = 2 // changes to a realm's shared facts
	RealmLock     Lock = 3 // the order of a realm's log
	restoreLock   Lock = 4 // a restore, which acquires the others in other transactions
)

type errorClass int

const (
	otherError errorClass = iota
	conflict
	retryable
	connectionLost
)

// ForUpdate locks the selected rows until the end of the transaction, if the database has row locks.
func (db *DB) ForUpdate(q *bun.SelectQuery) *bun.SelectQuery { return db.dialect.forUpdate(q) }

// ByIndex returns a table expression with an alias. On SQLite, it makes the query use the given index.
func (db *DB) ByIndex(table, alias, index string) string {
	return db.dialect.byIndex(table, alias, index)
}

// HasBit returns the condition that a column has the bit given as argument. It states the condition twice: SQLite's
// partial indexes match the first form; PostgreSQL's match the second, whose result its planner estimates better.
func HasBit(column string) string {
	return "(" + column + " & ?0) <> 0 AND (" + column + " & ?0) = ?0"
}

// Among returns the condition that a column has one of the values of the subselect given as argument. The subselect
// runs once: the plan must not depend on the planner's estimate of its size.
func (db *DB) Among(column string) string { return db.dialect.among(column) }

// ByteOrder returns an expression for a text column that compares bytes, whatever the database's collation.
func (db *DB) ByteOrder(column string) string { return db.dialect.byteOrder(column) }

// Conflict reports whether err is a unique key violation. On PostgreSQL, a violation aborts the transaction: where
// conflicts are expected, insert with ON CONFLICT DO NOTHING and check the number of affected rows.
func (db *DB) Conflict(err error) bool { return err != nil && db.dialect.classify(err) == conflict }

// Retryable reports whether the transaction may succeed if retried: after a deadlock, serialization failure or lock
// timeout.
func (db *DB) Retryable(err error) bool { return err != nil && db.dialect.classify(err) == retryable }

// Unavailable reports whether err means that the database could not be reached, or did not respond in time.
func (db *DB) Unavailable(err error) bool {
	return err != nil && db.dialect.classify(err) == connectionLost
}

// LockSQL returns the statement that acquires an advisory lock until the end of the transaction, or "" if write
// transactions exclude each other anyway.
func (db *DB) LockSQL(k Lock, id int64) string { return db.dialect.lock(k, id) }

// OneWriter reports whether a write transaction excludes all others from its beginning.
func (db *DB) OneWriter() bool { return db.dialect.oneWriter() }

// Timeline returns a text that changes when the database is restored to an earlier point in time, or "" if the database
// cannot detect that.
func (db *DB) Timeline(ctx context.Context) (string, error) {
	q := db.dialect.timeline()
	if q == "" {
		return "", nil
	}
	var s string
	err := db.From(ctx).NewRaw(q).Scan(ctx, &s)
	return s, err
}

type postgresDialect struct {
	settings  [pools]settings
	hungAfter string // how long the holder of a realm's lock may be idle, in milliseconds
}

func (postgresDialect) name() string             { return "postgres" }
func (postgresDialect) words() *strings.Replacer { return postgresWords }
func (postgresDialect) oneWriter() bool          { return false }

func (d postgresDialect) begin(c *sql.Conn, p Purpose) string {
	text := "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE" // fails on a standby
	if p == Reading {
		text = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
	}
	_ = c.Raw(func(driverConn any) error {
		if c, ok := driverConn.(*postgresConn); ok {
			text += c.begin()
		}
		return nil // run reports a broken connection
	})
	return text
}

// standby implements dialect: BEGIN READ WRITE uses no feature that PostgreSQL lacks, except during recovery.
func (postgresDialect) standby(err error) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && pg.Code == "0A000"
}

func (postgresDialect) forUpdate(q *bun.SelectQuery) *bun.SelectQuery { return q.For("UPDATE") }

func (postgresDialect) byIndex(table, alias, _ string) string { return table + " AS " + alias } // has statistics

// among collects the values in an array. The planner would estimate a subselect on a table that has just been filled as
// empty, and run it for every row.
func (postgresDialect) among(column string) string { return column + " = ANY(ARRAY(?))" }

// lock shortens the time for which the transaction may be idle, since others wait for it from now on.
func (d postgresDialect) lock(k Lock, id int64) string {
	return fmt.Sprintf("SET LOCAL %s = %s; SELECT pg_advisory_xact_lock(%d)", idleTimeout, d.hungAfter,
		int64(k)<<56|id&(1<<56-1))
}

func (postgresDialect) disableTimeouts() string {
	return "SET LOCAL lock_timeout = 0; SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0"
}

func (postgresDialect) timeline() string {
	return "SELECT CASE WHEN pg_is_in_recovery() THEN '' ELSE substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) END"
}

func (postgresDialect) columns() string {
	return `SELECT c.table_name AS "table", c.column_name AS "column", c.is_nullable = 'YES' AS nullable,
			c.data_type AS "type", p.position IS NOT NULL AS "key", coalesce(p.position, 0) AS position
		FROM information_schema.columns c LEFT JOIN (
			SELECT k.table_name, k.column_name, k.ordinal_position AS position
			FROM information_schema.table_constraints t
			JOIN information_schema.key_column_usage k USING (constraint_schema, constraint_name)
			WHERE t.constraint_type = 'PRIMARY KEY' AND t.table_schema = current_schema()
		) p USING (table_name, column_name)
		WHERE c.table_schema = current_schema() AND c.is_generated = 'NEVER' ORDER BY 1, 2`
}

func (postgresDialect) run(
	ctx context.Context,
	c *sql.Conn,
	observeSQL func(string),
	stmts []string,
) (n int64, tag string, err error) {
	text := join(stmts)
	if observeSQL != nil {
		observeSQL(text)
	}
	err = c.Raw(func(driverConn any) error {
		pg, ok := driverConn.(*postgresConn)
		if !ok {
			return fmt.Errorf("unexpected driver connection %T", driverConn)
		}
		if pg.pg().IsClosed() {
			// The only proof that nothing was sent: pgx reports even a lost response as "safe to retry".
			return driver.ErrBadConn
		}
		results, err := pg.pg().Exec(ctx, text).ReadAll()
		if err != nil || len(results) == 0 {
			return ofConn(err)
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

func (postgresDialect) classify(err error) errorClass {
	if errors.As(err, new(*connError)) {
		return connectionLost // also if it is the database that refuses the connection
	}
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		switch {
		case pg.Code == "23505":
			return conflict
		case pg.Code == "40001", pg.Code == "40P01", pg.Code == "55P03":
			return retryable
		case pg.Code[:2] == "08", pg.Code[:2] == "57", pg.Code == "53300", pg.Code == "25P03":
			return connectionLost // connection, shutdown, timeout, too many
		}
		return otherError
	}
	return classifyConnection(err)
}

type sqliteDialect struct{}

func (sqliteDialect) name() string             { return "sqlite" }
func (sqliteDialect) words() *strings.Replacer { return sqliteWords }
func (sqliteDialect) oneWriter() bool          { return true }

func (sqliteDialect) standby(error) bool { return false }

func (sqliteDialect) begin(_ *sql.Conn, p Purpose) string {
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
func (sqliteDialect) disableTimeouts() string { return "" }
func (sqliteDialect) timeline() string        { return "" }

func (sqliteDialect) columns() string {
	return `SELECT t.name AS "table", c.name AS "column", c."notnull" = 0 AND c.pk = 0 AS nullable,
			lower(c.type) AS "type", c.pk > 0 AS "key", c.pk AS position
		FROM pragma_table_list t JOIN pragma_table_info(t.name) c
		WHERE t.schema = 'main' AND t.type <> 'shadow' AND t.name NOT LIKE 'sqlite_%'
		UNION ALL
		SELECT t.name, 'rowid', 0, 'integer', 1, 1 FROM pragma_table_list t WHERE t.schema = 'main' AND t.type = 'virtual'
		ORDER BY 1, 2`
}

func (sqliteDialect) run(
	ctx context.Context,
	c *sql.Conn,
	observeSQL func(string),
	stmts []string,
) (n int64, tag string, err error) {
	if observeSQL != nil {
		observeSQL(join(stmts))
	}
	if err := ctx.Err(); err != nil {
		return 0, "", err
	}
	// Watching ctx costs the driver a goroutine per statement, and all statements except migrations are short.
	ctx = context.WithoutCancel(ctx)
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

func (sqliteDialect) classify(err error) errorClass {
	var e *sqlite.Error
	if !errors.As(err, &e) {
		return classifyConnection(err)
	}
	switch code := e.Code(); {
	case code == 2067, code == 1555, code == 2579: // UNIQUE, PRIMARY KEY, ROWID
		return conflict
	case code&0xff == 5, code&0xff == 6: // BUSY, LOCKED
		return retryable
	// IOERR, FULL, CANTOPEN, READONLY_DBMOVED (the file was removed or replaced)
	case code&0xff == 10, code&0xff == 13, code&0xff == 14, code == 1032:
		return connectionLost
	}
	return otherError
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
