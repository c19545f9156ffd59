package bunstore

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io"
	"net"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
)

// connError is an error of the network from a connection to the database. Without this mark, an error of the network is
// not the database's: a connection to an object store or a mail server breaks in the same way.
type connError struct{ cause error }

func (e *connError) Error() string { return e.cause.Error() }

// Unwrap returns the cause.
func (e *connError) Unwrap() error { return e.cause }

// fileError reports that the file of a SQLite database is not in its place. No connection is lost.
type fileError struct{ cause error }

func (e *fileError) Error() string { return e.cause.Error() }

// Unwrap returns the cause.
func (e *fileError) Unwrap() error { return e.cause }

// ofConn marks an error of a connection to the database.
func ofConn(err error) error {
	var network net.Error
	if errors.As(err, &network) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, net.ErrClosed) {
		return &connError{err}
	}
	return err
}

// connRows are rows whose errors are marked.
type connRows struct{ *stdlib.Rows }

// Next implements driver.Rows.
func (r connRows) Next(dest []driver.Value) error {
	err := r.Rows.Next(dest)
	if err == nil || err == io.EOF { //nolint:errorlint // the end, which drivers must not wrap
		return err
	}
	return ofConn(err)
}

// Lost reports whether err means that a connection to the database broke or could not be opened. Unlike Unavailable,
// it is false for statements that timed out and requests that were canceled.
func (db *DB) Lost(err error) bool {
	var pg *pgconn.PgError
	var unopened *OpenError
	var refused *pgconn.ConnectError
	switch {
	case err == nil:
		return false
	case errors.As(err, &unopened), errors.As(err, &refused):
		return true
	case errors.As(err, &pg):
		return pg.Code[:2] == "08" || pg.Code == "57P01" || pg.Code == "57P02" || pg.Code == "57P03"
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return false
	}
	return errors.As(err, new(*connError)) || errors.Is(err, driver.ErrBadConn)
}

// classifyConnection returns connectionLost for errors of lost connections, and otherError for the rest. A deadline is
// the database's: its callers wait for nothing else.
func classifyConnection(err error) errorClass {
	var refused *pgconn.ConnectError
	var unopened *OpenError
	if errors.As(err, new(*connError)) || errors.As(err, new(*fileError)) || errors.As(err, &unopened) ||
		errors.As(err, &refused) ||
		errors.Is(err, driver.ErrBadConn) || errors.Is(err, sql.ErrConnDone) || pgconn.SafeToRetry(err) ||
		errors.Is(err, context.DeadlineExceeded) {
		return connectionLost
	}
	return otherError
}
