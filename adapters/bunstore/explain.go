package bunstore

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"net"
	"strings"
	"syscall"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// OpenError reports that a database could not be opened, with the cause and a remedy.
type OpenError struct {
	Cause, Remedy string
	err           error
}

func (e *OpenError) Error() string { return e.Cause + "; " + e.Remedy }

// Unwrap returns the driver's error.
func (e *OpenError) Unwrap() error { return e.err }

// Cause describes in one line why the database does not respond.
func Cause(err error) string {
	var known *OpenError
	if errors.As(err, &known) {
		return known.Cause
	}
	if errors.Is(err, driver.ErrBadConn) {
		return "the database closed the connection"
	}
	return strings.Join(strings.Fields(err.Error()), " ")
}

// explain converts common reasons why PostgreSQL cannot be used to an OpenError. It returns other errors unchanged.
func explain(cfg *pgx.ConnConfig, err error) error {
	var known *OpenError
	if errors.As(err, &known) {
		return err
	}
	at := net.JoinHostPort(cfg.Host, fmt.Sprint(cfg.Port))
	if strings.HasPrefix(cfg.Host, "/") {
		at = fmt.Sprintf("%s/.s.PGSQL.%d", cfg.Host, cfg.Port)
	}
	openError := func(remedy, format string, args ...any) error {
		return &OpenError{Cause: "PostgreSQL at " + at + " " + fmt.Sprintf(format, args...), Remedy: remedy, err: err}
	}
	var pg *pgconn.PgError
	var dnsErr *net.DNSError
	var netErr net.Error
	switch {
	case errors.As(err, &pg) && pg.Code == "3D000":
		return openError(
			fmt.Sprintf("create it: createdb -O %s %s", cfg.User, cfg.Database),
			"has no database %q",
			cfg.Database,
		)
	case pg != nil && pg.Code == "28000" && strings.Contains(pg.Message, "does not exist"):
		return openError(fmt.Sprintf("create it: createuser --pwprompt %s", cfg.User), "has no role %q", cfg.User)
	case pg != nil && strings.HasPrefix(pg.Code, "28"):
		return openError(fmt.Sprintf("check the password, and that the role exists: createuser --pwprompt %s", cfg.User),
			"refuses the role %q (%s)", cfg.User, pg.Message)
	case pg != nil && pg.Code == "53300":
		return openError("raise max_connections there, or lower database.max_connections", "has no free connections")
	case pg != nil && pg.Code == "57P03":
		return openError("try again soon", "is starting up or shutting down")
	case errors.As(err, &dnsErr):
		return openError("correct the host name", "can't be found (%s)", dnsErr.Err)
	case errors.Is(err, syscall.ECONNREFUSED):
		return openError("start it, or correct the address", "does not respond (connection refused)")
	case errors.Is(err, syscall.ENOENT):
		return openError("start it, or correct the address", "does not respond (no such socket)")
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &netErr) && netErr.Timeout():
		return openError("start it, or correct the address", "does not respond (timeout)")
	case errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH):
		return openError("correct the address", "can't be reached (no route to the host)")
	}
	return err
}

// explainMigration converts the common reason why tables cannot be created to an OpenError.
func explainMigration(err error) error {
	var pg *pgconn.PgError
	if errors.As(err, &pg) && pg.Code == "42501" {
		return &OpenError{
			Cause:  "the database role may not create tables (" + pg.Message + ")",
			Remedy: "make it the owner of the database: ALTER DATABASE name OWNER TO role", err: err,
		}
	}
	return err
}
