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
	"golang.org/x/sync/semaphore"

	"github.com/stoachat/stoa/ports"
)

type txKey struct{}

// Tx is an open transaction on its own connection. The kernel begins and ends it; stores reach it through From. It
// begins and ends with several statements per round trip, so that acquiring a lock or writing the log adds none.
type Tx struct {
	db     *DB
	conn   bun.Conn
	handle handle
	later  []string // see DB.Later
	leave  func()   // gives the place in the line to the next one; may be nil
	ended  bool
}

// Begin opens a transaction and runs the statements in first, in the same round trip if possible; empty ones are
// skipped. It returns the number selected by the last one.
func (db *DB) Begin(ctx context.Context, p Purpose, first ...string) (*Tx, int64, error) {
	r, err := db.Reserve(ctx, p)
	if err != nil {
		return nil, 0, err
	}
	return r.Begin(ctx, first...)
}

// Reserved is a connection for one transaction. Begin or Release must be called.
type Reserved struct {
	db   *DB
	p    Purpose
	conn bun.Conn
	line *semaphore.Weighted
}

// Reserve waits for a connection. Canceling that wait is harmless, whereas canceling a running statement would break
// the connection, so callers that need different time limits for the two reserve a connection first.
func (db *DB) Reserve(ctx context.Context, p Purpose) (*Reserved, error) {
	if db.file != nil && p != Reading {
		if err := db.file.inPlace(); err != nil {
			return nil, unavailable(&fileError{err})
		}
	}
	r := &Reserved{db: db, p: p, line: db.lines[p]}
	if r.line != nil {
		if err := r.line.Acquire(ctx, 1); err != nil {
			return nil, err
		}
	}
	var err error
	if r.conn, err = db.pools[p].Conn(ctx); err != nil {
		r.leave()
		return nil, err
	}
	return r, nil
}

// leave gives the place in the line to the next one.
func (r *Reserved) leave() {
	if r.line != nil {
		r.line.Release(1)
	}
}

// Release returns an unused connection to its pool.
func (r *Reserved) Release() {
	_ = r.conn.Close() // an error means that it is already closed
	r.leave()
}

// Use returns a context in which stores use the connection, outside of any transaction.
func (r *Reserved) Use(ctx context.Context) context.Context {
	return context.WithValue(ctx, txKey{}, &Tx{db: r.db, conn: r.conn, handle: handle{r.conn}})
}

// Begin opens a transaction on the connection, as DB.Begin does.
func (r *Reserved) Begin(ctx context.Context, first ...string) (*Tx, int64, error) {
	db := r.db
	for stale := 0; ; stale++ {
		t := &Tx{db: db, conn: r.conn, handle: handle{r.conn}, leave: r.leave}
		n, err := t.Run(ctx, append([]string{db.dialect.begin(r.conn.Conn, r.p)}, first...)...)
		if err == nil {
			return t, n, nil
		}
		t.leave = nil
		t.end(db.dialect.standby(err))
		// The pool may hold connections that broke while idle, or lead to a server that has become a standby. Nothing has
		// been done yet, so try the next one.
		if lost := db.dialect.classify(err) == connectionLost || db.dialect.standby(err); !lost || ctx.Err() != nil ||
			stale == db.pools[r.p].Stats().MaxOpenConnections {
			r.leave()
			return nil, 0, err
		}
		if r.conn, err = db.pools[r.p].Conn(ctx); err != nil {
			r.leave()
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
	n, _, err := t.run(ctx, stmts)
	return n, err
}

func (t *Tx) run(ctx context.Context, stmts []string) (int64, string, error) {
	begun, last := t.db.m.begin(), lastOf(stmts)
	ctx, span := t.db.m.traces.Within(ctx, ports.SpanStatement, classOf(last))
	n, tag, err := t.db.dialect.run(ctx, t.conn.Conn, t.db.observe, stmts)
	span.End(err)
	if last != "" {
		t.db.m.ran(begun, last, err)
	}
	return n, tag, err
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
	_, tag, err := t.run(ctx, slices.Concat(t.later, last, []string{"COMMIT"}))
	switch {
	case err == nil && tag == "COMMIT":
		return t.close()
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
	if !t.ended {
		t.end(false)
	}
}

// end aborts the transaction. If discard is set, the connection is closed.
func (t *Tx) end(discard bool) {
	// The caller's context may have been canceled. A connection whose transaction cannot be ended must not return to the
	// pool.
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	_, _, err := t.run(ctx, []string{"ROLLBACK"})
	if err != nil || discard {
		_ = t.conn.Raw(func(any) error { return driver.ErrBadConn })
	}
	_ = t.close() // an error means that it is already closed
}

// close returns the connection to its pool.
func (t *Tx) close() error {
	t.ended = true
	err := t.conn.Close()
	if t.leave != nil {
		t.leave()
	}
	return err
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

// lastOf returns the last statement of a round trip, or "".
func lastOf(stmts []string) string {
	for _, last := range slices.Backward(stmts) {
		if last != "" {
			return last
		}
	}
	return ""
}
