package bunstore

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"slices"
	"time"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"
)

type txKey struct{}

// Tx is an open transaction on its own connection. The kernel begins and ends it; stores reach it through From. It
// begins and ends with several statements per round trip, so that acquiring a lock or writing the log adds none.
type Tx struct {
	db     *DB
	conn   bun.Conn
	handle handle
	later  []string // see DB.Later
	ended  bool
}

// Begin opens a transaction and runs the statements in first, in the same round trip if possible; empty ones are
// skipped. It returns the number selected by the last one.
func (db *DB) Begin(ctx context.Context, p Purpose, first ...string) (*Tx, int64, error) {
	return db.BeginWithin(ctx, ctx, p, first...)
}

// BeginWithin is Begin with a separate context for waiting for a connection. Canceling that wait is harmless, whereas
// canceling a running statement would break the connection.
func (db *DB) BeginWithin(wait, ctx context.Context, p Purpose, first ...string) (*Tx, int64, error) {
	first = append([]string{db.dialect.begin(p)}, first...)
	for stale := 0; ; stale++ {
		conn, err := db.pools[p].Conn(wait)
		if err != nil {
			return nil, 0, err
		}
		t := &Tx{db: db, conn: conn, handle: handle{conn}}
		n, err := t.Run(ctx, first...)
		if err == nil {
			return t, n, nil
		}
		t.Rollback()
		// The pool may hold connections that broke while idle. Nothing has been done yet, so try the next one.
		if db.dialect.classify(err) != connectionLost || ctx.Err() != nil || stale == db.pools[p].Stats().MaxOpenConnections {
			return nil, 0, err
		}
	}
}

// With returns a context in which stores use t.
func (db *DB) With(ctx context.Context, t *Tx) context.Context {
	return context.WithValue(ctx, txKey{}, t)
}

// Without returns a context in which stores use no transaction.
func (db *DB) Without(ctx context.Context) context.Context {
	return context.WithValue(ctx, txKey{}, (*Tx)(nil))
}

// Run runs statements whose arguments are interpolated, in as few round trips as possible. It returns the number
// selected by the last statement, if any.
func (t *Tx) Run(ctx context.Context, stmts ...string) (int64, error) {
	n, _, err := t.db.dialect.run(ctx, t.conn.Conn, t.db.observe, stmts)
	return n, err
}

// UnknownError is the error of a Commit whose response was lost: the transaction may or may not have been committed.
type UnknownError struct{ cause error }

func (u *UnknownError) Error() string { return "outcome of the commit is unknown: " + u.cause.Error() }

// Unwrap returns the cause.
func (u *UnknownError) Unwrap() error { return u.cause }

var errAborted = errors.New("the transaction had failed and was rolled back")

// Later defers a statement to the end of the transaction in ctx. Deferred statements are sent with the commit, in the
// order of the calls, without an extra round trip. The transaction does not see their effects. If one fails, so does
// the commit.
func (db *DB) Later(ctx context.Context, q statement) error {
	t, ok := ctx.Value(txKey{}).(*Tx)
	if !ok || t == nil {
		return errors.New("bunstore: Later requires a transaction")
	}
	text, err := db.Text(q)
	if err == nil {
		t.later = append(t.later, text)
	}
	return err
}

// Commit runs the statements deferred by Later, then those in last, and commits, in one round trip if possible. The
// transaction is over in any case. Errors: *UnknownError.
func (t *Tx) Commit(ctx context.Context, last ...string) error {
	_, tag, err := t.db.dialect.run(ctx, t.conn.Conn, t.db.observe, slices.Concat(t.later, last, []string{"COMMIT"}))
	switch {
	case err == nil && tag == "COMMIT":
		t.ended = true
		return t.conn.Close()
	case err == nil: // PostgreSQL responds ROLLBACK, without an error, to the COMMIT of a failed transaction
		err = errAborted
	case t.db.Unavailable(err) && !errors.Is(err, driver.ErrBadConn): // ErrBadConn: nothing was sent
		err = &UnknownError{err}
	}
	t.Rollback()
	return err
}

// Rollback aborts the transaction. After Commit it does nothing.
func (t *Tx) Rollback() {
	if t.ended {
		return
	}
	t.ended = true
	// The caller's context may have been canceled. A connection whose transaction cannot be ended must not return to the
	// pool.
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	if _, _, err := t.db.dialect.run(ctx, t.conn.Conn, t.db.observe, []string{"ROLLBACK"}); err != nil {
		_ = t.conn.Raw(func(any) error { return driver.ErrBadConn })
	}
	_ = t.conn.Close() // an error means that it is already closed
}

// handle is the connection as stores see it. It refuses nested transactions, since the inner commit would end the outer
// one.
type handle struct{ bun.Conn }

var errNested = errors.New("bunstore: a transaction is already open; transactions are opened by ports.UnitOfWork")

// BeginTx returns errNested.
func (handle) BeginTx(context.Context, *sql.TxOptions) (bun.Tx, error) { return bun.Tx{}, errNested }

// RunInTx returns errNested.
func (handle) RunInTx(context.Context, *sql.TxOptions, func(context.Context, bun.Tx) error) error {
	return errNested
}

// Text returns the SQL text of a query, for Commit and Run.
func (db *DB) Text(q statement) (string, error) {
	b, err := q.AppendQuery(db.pools[Reading].QueryGen(), nil)
	return string(b), err
}

type statement interface {
	AppendQuery(schema.QueryGen, []byte) ([]byte, error)
}
