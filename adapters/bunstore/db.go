// Package bunstore provides the database that all modules share: a bun database on PostgreSQL or SQLite, its
// transactions and migrations, and in dialect.go the SQL fragments that differ between the two. Stores get connections
// only from From; the kernel opens the transactions.
package bunstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"
	"golang.org/x/sync/semaphore"
)

// Config selects a database.
type Config struct {
	// URL is sqlite:/path/file.db, sqlite::memory: (tests; gone on Close), or postgres://user@host1,host2/name?options
	// or its keyword/value form. Of several PostgreSQL servers, the first that accepts changes is used.
	URL string
	// MaxConns limits the connections to PostgreSQL. Zero means 16; more are slower on small machines.
	MaxConns int
	// NotifyURL is the URL at which PostgreSQL's notifications are received. If it is empty, that is URL.
	NotifyURL string
	// Patience multiplies the timeouts of the database and the kernel, for tests on a busy machine. Zero means 1.
	Patience int
	// Existing makes Open return ErrMissing instead of creating a missing SQLite file.
	Existing bool
	// Lazy makes Open return without waiting for PostgreSQL. Ping verifies that it responds.
	Lazy bool
	// Exclusive makes Open return *InUseError if another process has opened the same SQLite file with it. Programs that
	// do not set it may use the file meanwhile.
	Exclusive bool
	// Observe, if set, receives the SQL text of each round trip.
	Observe func(sql string)
}

// DB is the database. Stores get connections only from From.
type DB struct {
	dialect dialect
	pools   [pools]*bun.DB
	lines   [pools]*semaphore.Weighted // where transactions wait for a connection, in order; nil: in any order
	observe func(sql string)
	cleanup func() error
	file    *databaseFile // nil on PostgreSQL

	notifications *notifications // nil on SQLite

	patience int

	m          measures
	unmeasured *[pools]*bun.DB // the pools without the hook that measures; nil: pools
}

// Timeout returns d multiplied by Config.Patience.
func (db *DB) Timeout(d time.Duration) time.Duration { return d * time.Duration(max(1, db.patience)) }

// ErrMissing reports that the file of a SQLite database does not exist.
var ErrMissing = errors.New("the database does not exist")

// Purpose is what a connection is used for. Each purpose has its own pool, so that units of work waiting for locks
// never take connections from readers or realm writers.
type Purpose int

// The purposes. On SQLite, Changing and Batching share the only writing connection.
const (
	Reading  Purpose = iota // read-only; a transaction sees one snapshot
	Changing                // units of work
	Batching                // realm writers: short timeouts, since they hold a realm's lock
	pools
)

// Open connects to the database and verifies that it responds. Errors: ErrMissing; *OpenError with cause and remedy;
// others.
func Open(ctx context.Context, c Config) (*DB, error) {
	switch {
	case strings.HasPrefix(c.URL, "sqlite:"):
		return openSQLite(ctx, c)
	case postgresURL(c.URL):
		return openPostgres(ctx, c)
	}
	return nil, errors.New("the database URL must begin with sqlite: or postgres://")
}

// Close closes all connections.
func (db *DB) Close() error {
	var all []error
	closed := map[*bun.DB]bool{}
	for _, p := range db.pools {
		if p != nil && !closed[p] {
			closed[p] = true
			all = append(all, p.Close())
		}
	}
	if db.notifications != nil {
		all = append(all, db.notifications.sender.Close())
	}
	if db.cleanup != nil {
		all = append(all, db.cleanup())
	}
	return errors.Join(all...)
}

// Ping verifies that the database responds.
func (db *DB) Ping(ctx context.Context) error { return db.pools[Reading].PingContext(ctx) }

// From returns the transaction in ctx (of Do, Snapshot or a Writer's batch), or the read-only pool if there is none.
func (db *DB) From(ctx context.Context) bun.IDB {
	if t, ok := ctx.Value(txKey{}).(*Tx); ok && t != nil {
		return t.handle
	}
	return db.pools[Reading]
}

// open verifies that the database responds.
func (db *DB) open(ctx context.Context) error {
	for _, p := range []Purpose{Changing, Reading} { // on SQLite, the writer comes first because it creates the file
		if err := db.pools[p].PingContext(ctx); err != nil {
			return errors.Join(fmt.Errorf("open database: %w", err), db.Close())
		}
	}
	return nil
}

func newPool(pool *sql.DB, d schema.Dialect, conns int, observe func(string)) *bun.DB {
	pool.SetMaxOpenConns(conns)
	pool.SetMaxIdleConns(conns)
	db := bun.NewDB(pool, d)
	if observe != nil {
		db = db.WithQueryHook(observer{observe})
	}
	return db
}

type observer struct{ observeSQL func(string) }

func (o observer) BeforeQuery(ctx context.Context, e *bun.QueryEvent) context.Context {
	o.observeSQL(e.Query)
	return ctx
}

func (o observer) AfterQuery(context.Context, *bun.QueryEvent) {}
