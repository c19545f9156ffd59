package bunstore

import (
	"context"
	"database/sql/driver"
	"errors"
	"io"
	"net"

	"github.com/jackc/pgx/v5/pgconn"
)

// Lost reports whether err means that a connection to the database broke or could not be opened. Unlike Unavailable,
// it is false for statements that timed out and requests that were canceled.
func (db *DB) Lost(err error) bool {
	var pg *pgconn.PgError
	var unopened *OpenError
	var refused *pgconn.ConnectError
	var network net.Error
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
	return errors.As(err, &network) || errors.Is(err, driver.ErrBadConn) || errors.Is(err, io.EOF) ||
		errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed)
}
