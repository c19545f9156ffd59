package bunstore

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// hungAfter is how long a transaction that holds a realm's lock may be idle. A paused or disconnected node must not
// block a realm.
const hungAfter = 2 * time.Second

// idleTimeout is the setting that ends the transactions of a hung node.
const idleTimeout = "idle_in_transaction_session_timeout"

// settings are statements that change settings of PostgreSQL. They apply to a session if it belongs to this pool alone.
// A pooler such as PgBouncer gives each transaction another session, which it shares between its clients; then they are
// part of every transaction.
type settings struct {
	session string // for a session
	begin   string // after BEGIN in a shared session
	read    string // before a statement outside of a transaction in a shared session
}

// sessionSettings returns the settings for each purpose. The parameters given in the URL are not among them.
func sessionSettings(timeout func(time.Duration) time.Duration, given map[string]string) [pools]settings {
	limits := func(statement, lock, idle time.Duration) []string {
		limit := func(name string, d time.Duration) string { return name + " = " + milliseconds(timeout(d)) }
		all := []string{limit("statement_timeout", statement), limit("lock_timeout", lock), limit(idleTimeout, idle)}
		if given["jit"] == "" { // JIT compilation would take longer than the statements themselves
			all = append(all, "jit = off")
		}
		return all
	}
	settingsOf := func(all []string) settings {
		return settings{
			session: "SET " + strings.Join(all, "; SET "),
			begin:   "; SET LOCAL " + strings.Join(all, "; SET LOCAL "),
		}
	}
	reading := limits(time.Minute, 10*time.Second, time.Minute)
	out := [pools]settings{
		Reading:  settingsOf(reading),
		Changing: settingsOf(limits(time.Minute, 10*time.Second, 20*time.Second)),
		Batching: settingsOf(limits(5*time.Second, 5*time.Second, hungAfter)),
	}
	// Writing outside of Do fails immediately, as on SQLite.
	out[Reading].session += "; SET default_transaction_read_only = on"
	out[Reading].read = "SET LOCAL transaction_read_only = on; SET LOCAL " + strings.Join(reading, "; SET LOCAL ") + "; "
	return out
}

func milliseconds(d time.Duration) string { return strconv.FormatInt(d.Milliseconds(), 10) }

// apply applies the settings to a new session that is not shared.
func (s settings) apply(ctx context.Context, c *pgconn.PgConn) error {
	if isShared(c) {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	_, err := c.Exec(ctx, s.session).ReadAll()
	return err
}

const shared = "shared" // key of a connection's custom data

func isShared(c *pgconn.PgConn) bool { return c.CustomData()[shared] != nil }

// errReadOnly reports that a database server does not accept changes, usually because it is a standby.
var errReadOnly = errors.New("the server only reads")

// inspect examines a new connection. It fails with errReadOnly on a standby, so that the next host of the URL is tried.
// It detects poolers: they invent the process number that a client gets when it connects.
func inspect(ctx context.Context, c *pgconn.PgConn) error {
	results, err := c.Exec(ctx, "SELECT pg_backend_pid(), current_setting('transaction_read_only')").ReadAll()
	if err != nil {
		return err
	}
	if len(results) != 1 || len(results[0].Rows) != 1 {
		return fmt.Errorf("unexpected response to pg_backend_pid")
	}
	row := results[0].Rows[0]
	if string(row[1]) == "on" {
		return errReadOnly
	}
	if string(row[0]) != strconv.FormatUint(uint64(c.PID()), 10) {
		c.CustomData()[shared] = true
	}
	return nil
}

// dialer dials the hosts of a URL. A host that did not respond is given little time for a minute, so that it does not
// delay every new connection to the next one.
type dialer struct {
	dial pgconn.DialFunc

	mu     sync.Mutex
	silent map[string]bool // addresses that did not respond
}

const (
	silentFor  = time.Minute
	silentWait = 250 * time.Millisecond
)

// Dial implements pgconn.DialFunc.
func (d *dialer) Dial(ctx context.Context, network, addr string) (net.Conn, error) {
	d.mu.Lock()
	silent := d.silent[addr]
	d.mu.Unlock()
	limited := ctx
	if silent {
		var cancel context.CancelFunc
		limited, cancel = context.WithTimeout(ctx, silentWait)
		defer cancel()
	}
	conn, err := d.dial(limited, network, addr)
	var timeout net.Error
	if !silent && errors.As(err, &timeout) && timeout.Timeout() {
		d.setSilent(addr, true)
		time.AfterFunc(silentFor, func() { d.setSilent(addr, false) })
	}
	return conn, err
}

func (d *dialer) setSilent(addr string, silent bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.silent == nil {
		d.silent = map[string]bool{}
	}
	d.silent[addr] = silent
}
