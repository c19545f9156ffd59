package bunstore

import (
	"context"
	"crypto/tls"
	"database/sql/driver"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"syscall"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// OpenError reports that a database could not be opened, with the cause and a remedy.
type OpenError struct {
	Cause, Remedy string
	Permanent     bool // waiting does not help
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
	return oneLine(err)
}

func oneLine(err error) string { return strings.Join(strings.Fields(err.Error()), " ") }

// Passing reports whether the reason why a PostgreSQL database cannot be used may pass, so that waiting may help.
func (db *DB) Passing(err error) bool {
	if db.file != nil {
		return false
	}
	var known *OpenError
	if errors.As(err, &known) {
		return !known.Permanent
	}
	return err != nil && (db.Unavailable(err) || db.Retryable(err) || db.dialect.standby(err))
}

// explain converts common reasons why PostgreSQL cannot be used to an OpenError. It returns other errors unchanged.
func explain(cfg *pgx.ConnConfig, err error) error {
	var known *OpenError
	if errors.As(err, &known) {
		return err
	}
	at := hosts(cfg)
	openError := func(remedy, format string, args ...any) error {
		return &OpenError{Cause: "PostgreSQL at " + at + " " + fmt.Sprintf(format, args...), Remedy: remedy, err: err}
	}
	permanent := func(remedy, format string, args ...any) error {
		return &OpenError{
			Cause: "PostgreSQL at " + at + " " + fmt.Sprintf(format, args...), Remedy: remedy, Permanent: true, err: err,
		}
	}
	var pg *pgconn.PgError
	var dnsErr *net.DNSError
	var netErr net.Error
	switch {
	case errors.As(err, &pg) && pg.Code == "3D000":
		return permanent(
			fmt.Sprintf("create it: createdb -O %s %s", cfg.User, cfg.Database),
			"has no database %q",
			cfg.Database,
		)
	case pg != nil && pg.Code == "28000" && strings.Contains(pg.Message, "does not exist"):
		return permanent(fmt.Sprintf("create it: createuser --pwprompt %s", cfg.User), "has no role %q", cfg.User)
	case pg != nil && strings.HasPrefix(pg.Code, "28"):
		return permanent(fmt.Sprintf("check the password, and that the role exists: createuser --pwprompt %s", cfg.User),
			"refuses the role %q (%s)", cfg.User, pg.Message)
	case pg != nil && pg.Code == protocolViolation && strings.Contains(pg.Message, "startup parameter"):
		return permanent("remove it from the URL, or list it in PgBouncer's ignore_startup_parameters",
			"does not accept a parameter of the URL (%s)", pg.Message)
	case pg != nil && pg.Code == protocolViolation && strings.Contains(pg.Message, "no such"):
		return permanent("correct the URL, or PgBouncer's configuration", "refuses the connection (%s)", pg.Message)
	case pg != nil && (strings.HasPrefix(pg.Code, "42") || strings.HasPrefix(pg.Code, "22")):
		return permanent("correct the parameters of the URL", "refuses the connection (%s)", pg.Message)
	case tooManyConnections(err):
		return openError("raise max_connections there, or lower database.max_connections", "has no free connections")
	case pg != nil && pg.Code == "57P03":
		return openError("try again soon", "is starting up or shutting down")
	case errors.Is(err, errReadOnly):
		return openError("promote a server, or add the one that accepts changes to the URL", "accepts no changes")
	case errors.As(err, new(*tls.CertificateVerificationError)):
		return permanent("set sslrootcert in the URL, or correct the certificate", "has no trusted certificate (%s)",
			oneLine(err))
	case strings.Contains(err.Error(), "server refused TLS connection"):
		return permanent("enable TLS there, or set sslmode=prefer in the URL", "does not support TLS")
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

// hosts returns the servers that a URL names.
func hosts(cfg *pgx.ConnConfig) string {
	address := func(host string, port uint16) string {
		if strings.HasPrefix(host, "/") {
			return fmt.Sprintf("%s/.s.PGSQL.%d", host, port)
		}
		return net.JoinHostPort(host, fmt.Sprint(port))
	}
	all := []string{address(cfg.Host, cfg.Port)}
	for _, f := range cfg.Fallbacks { // contains hosts twice that may use TLS or not
		if at := address(f.Host, f.Port); !slices.Contains(all, at) {
			all = append(all, at)
		}
	}
	return strings.Join(all, ", ")
}

// explainMigration converts the common reason why tables cannot be created to an OpenError.
func explainMigration(err error) error {
	var pg *pgconn.PgError
	if errors.As(err, &pg) && pg.Code == "42501" {
		return &OpenError{
			Cause:  "the database role may not create tables (" + pg.Message + ")",
			Remedy: "make it the owner of the database: ALTER DATABASE name OWNER TO role", Permanent: true, err: err,
		}
	}
	return err
}
