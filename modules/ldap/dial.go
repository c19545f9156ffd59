package ldap

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"sync/atomic"

	"github.com/go-ldap/ldap/v3"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/ports"
)

// Limits of answers in bytes.
const (
	maxAnswer = 1 << 20  // of each step of a login
	maxPage   = 32 << 20 // of a page of a synchronization
)

// connection is a connection to a directory.
type connection struct {
	*ldap.Conn

	raw *limited
}

// limited is a network connection from which each step reads at most a number of bytes.
type limited struct {
	net.Conn

	left atomic.Int64
}

// Read implements net.Conn.
func (l *limited) Read(p []byte) (int, error) {
	n, err := l.Conn.Read(p)
	if l.left.Add(-int64(n)) < 0 {
		return 0, errors.New("the answer of the directory is too large")
	}
	return n, err
}

// during runs a step within the time and the size that it may take. Afterwards the connection is closed if the time was
// over.
func (c *connection) during(ctx context.Context, d *directory, most int64, step func() error) error {
	ctx, cancel := context.WithTimeout(ctx, d.Timeout)
	defer cancel()
	c.raw.left.Store(most)
	ctx, span := ports.BeginCall(ctx, "ldap")
	stop := context.AfterFunc(ctx, func() { _ = c.raw.Close() })
	err := step()
	if !stop() && err == nil {
		err = ctx.Err()
	}
	if ctx.Err() != nil {
		err = fmt.Errorf("the directory took more than %v: %w", d.Timeout, ctx.Err())
	}
	if c.raw.left.Load() < 0 { // which one person's entry may cause, and not the directory
		err = setupError("the answer of the directory is too large")
	}
	span.End(err)
	return err
}

// dial connects to the directory.
func (d *directory) dial(ctx context.Context) (*connection, error) {
	ctx, cancel := context.WithTimeout(ctx, d.Timeout)
	defer cancel()
	plain, err := (&net.Dialer{}).DialContext(ctx, "tcp", d.address.Host)
	if err != nil {
		return nil, err
	}
	raw := &limited{Conn: plain}
	raw.left.Store(maxAnswer)
	stop := context.AfterFunc(ctx, func() { _ = raw.Close() })
	defer stop()
	var conn net.Conn = raw
	if d.address.Scheme == "ldaps" {
		encrypted := tls.Client(raw, d.encryption)
		if err := encrypted.HandshakeContext(ctx); err != nil {
			_ = raw.Close()
			return nil, err
		}
		conn = encrypted
	}
	c := &connection{ldap.NewConn(conn, d.address.Scheme == "ldaps"), raw}
	c.Start()
	if !d.StartTLS {
		return c, nil
	}
	if err := c.StartTLS(d.encryption); err != nil {
		_ = c.Close()
		return nil, fmt.Errorf("start_tls: %w", err)
	}
	return c, nil
}

// setupError is an error that the configuration causes, although the directory works.
type setupError string

func (e setupError) Error() string { return string(e) }

// isDown reports whether an error says that the directory does not work, rather than that it refuses a request.
func isDown(err error) bool {
	var refused *ldap.Error
	var setup setupError
	var known *errs.Error
	if errors.As(err, &setup) || errors.As(err, &known) {
		return false
	}
	if !errors.As(err, &refused) {
		return err != nil
	}
	switch refused.ResultCode {
	case ldap.LDAPResultBusy, ldap.LDAPResultUnavailable, ldap.LDAPResultTimeLimitExceeded:
		return true
	}
	return refused.ResultCode >= ldap.ErrorNetwork
}

// bind binds as an entry. wrong is true if the directory refuses the password.
func (d *directory) bind(ctx context.Context, c *connection, dn, password string) (wrong bool, err error) {
	if dn == "" || password == "" { // an unauthenticated bind, RFC 4513, section 5.1.2, which succeeds
		return true, nil
	}
	err = c.during(ctx, d, maxAnswer, func() error { return c.Bind(dn, password) })
	if err != nil && !isDown(err) {
		return true, err
	}
	return false, err
}
