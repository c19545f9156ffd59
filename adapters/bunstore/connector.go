package bunstore

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/stoachat/stoa/domain/errs"
)

// While the database has no connections left, a node makes do with few of them:
//
//   - A pool that cannot open another connection shrinks to those it has. Its callers wait for one of them.
//   - A pool below its floor waits for a connection until its caller gives up, and may take one from the node's other
//     pools.
//   - Beyond its floor, a pool leaves the last few connections of the database to other nodes, and returns some of its
//     own when fewer are left, so that nodes that start late reach their floors, too.
const (
	growAfter    = 10 * time.Second       // delay before a shrunk pool may grow again
	connectPause = 100 * time.Millisecond // between two attempts to connect
	shareAfter   = 2 * time.Second        // how long a pool with a connection waits for its floor
	giveUpAfter  = time.Minute            // how long a pool waits for its first connection, if its caller waits longer
	idleAfter    = 30 * time.Second       // when an idle connection is closed
	reserved     = 4                      // connections left to pools below their floors: a node's floors together
	checkEvery   = 5 * time.Second        // between two checks of whether others need connections
)

// poolConfig configures a pool.
type poolConfig struct {
	driver.Connector
	cfg      *pgx.ConnConfig
	maxConns int // the pool's maximum of connections
	floor    int // the connections without which callers may wait for each other
	// free returns how many more connections the database accepts; nil: freeConnections
	free func(context.Context, driver.Conn) (int, error)
}

// connector opens a pool's connections. If the database cannot be reached, Connect returns errs.Unavailable, so that
// any store's unwrapped error becomes a 503.
type connector struct {
	poolConfig
	node    *connectors
	pool    *sql.DB
	turn    chan struct{} // held by the caller that waits for a connection
	opening atomic.Int32  // connections that the pool counts but that are not open yet
	checked atomic.Bool   // whether share has called free within checkEvery
}

// connectors are the connectors of a node's pools, which share the connections that the database grants.
type connectors struct {
	mu  sync.Mutex
	all []*connector
}

// open opens a pool.
func (n *connectors) open(cfg poolConfig) *sql.DB {
	c := &connector{poolConfig: cfg, node: n, turn: make(chan struct{}, 1)}
	if c.free == nil {
		c.free = freeConnections
	}
	c.pool = sql.OpenDB(c)
	c.pool.SetMaxOpenConns(c.maxConns)
	c.pool.SetMaxIdleConns(c.maxConns)
	c.pool.SetConnMaxIdleTime(idleAfter)
	n.mu.Lock()
	defer n.mu.Unlock()
	n.all = append(n.all, c)
	return c.pool
}

// Connect implements driver.Connector.
func (c *connector) Connect(ctx context.Context) (driver.Conn, error) {
	c.opening.Add(1)
	defer c.opening.Add(-1)
	conn, err := c.connect(ctx)
	if err == nil || !tooManyConnections(err) {
		return conn, err
	}
	select { // one caller tries at a time, in order
	case c.turn <- struct{}{}:
		defer func() { <-c.turn }()
	case <-ctx.Done():
		return nil, unavailable(&connError{err})
	}
	c.node.take(c)
	for waited := time.Duration(0); ; waited += connectPause {
		if open := c.open(); open >= c.floor || open > 0 && waited >= shareAfter {
			c.shrink(open)
			return nil, driver.ErrBadConn // the pool retries, and waits for one of its connections
		} else if waited >= giveUpAfter {
			return nil, unavailable(&connError{err})
		}
		select {
		case <-time.After(connectPause):
		case <-ctx.Done():
			return nil, unavailable(&connError{err})
		}
		if conn, err = c.connect(ctx); err == nil || !tooManyConnections(err) {
			return conn, err
		}
	}
}

// connect opens a connection.
func (c *connector) connect(ctx context.Context) (driver.Conn, error) {
	conn, err := c.Connector.Connect(ctx)
	switch {
	case err == nil:
		return c.opened(ctx, conn)
	case ctx.Err() != nil && !tooManyConnections(err):
		return nil, ctx.Err()
	}
	return nil, unavailable(&connError{explain(c.cfg, err)})
}

// open returns the number of open connections.
func (c *connector) open() int { return c.pool.Stats().OpenConnections - int(c.opening.Load()) }

// opened returns a new connection, unless it exceeds the floor and is one of the last few of the database.
func (c *connector) opened(ctx context.Context, conn driver.Conn) (driver.Conn, error) {
	if p, ok := conn.(*postgresConn); ok {
		p.reset = c.share
	}
	open := c.open()
	if open < c.floor {
		return conn, nil
	}
	if free, err := c.free(ctx, conn); err != nil || free >= reserved {
		return conn, nil //nolint:nilerr // without an answer, take what the database grants
	}
	c.shrink(open)
	return nil, errors.Join(driver.ErrBadConn, conn.Close())
}

// share closes a connection that is about to be reused if other nodes need it more.
func (c *connector) share(ctx context.Context, conn *postgresConn) error {
	if conn.shared || c.checked.Load() || c.open() <= c.floor || c.checked.Swap(true) {
		return nil
	}
	time.AfterFunc(checkEvery, func() { c.checked.Store(false) })
	if free, err := c.free(ctx, conn); err == nil && free < reserved {
		open := c.open()
		c.shrink(max(c.floor, open-max(1, open/4)))
	}
	return nil
}

// shrink limits the pool to n connections for a while. Surplus connections are closed as soon as they are unused.
func (c *connector) shrink(n int) {
	c.pool.SetMaxOpenConns(n)
	time.AfterFunc(growAfter, func() {
		c.pool.SetMaxOpenConns(c.maxConns)
		c.pool.SetMaxIdleConns(c.maxConns) // lowered implicitly with the pool's size
	})
}

// take makes the pool that exceeds its floor most give up a connection for another pool of this node.
func (n *connectors) take(by *connector) {
	n.mu.Lock()
	defer n.mu.Unlock()
	var richest *connector
	for _, c := range n.all {
		if c != by && c.open() > c.floor && (richest == nil || c.open()-c.floor > richest.open()-richest.floor) {
			richest = c
		}
	}
	if richest != nil {
		richest.shrink(richest.open() - 1)
	}
}

// freeConnections returns how many more connections a database accepts from its role. It returns reserved, which means
// enough, for a pooler, whose clients wait for each other instead of being refused.
func freeConnections(ctx context.Context, conn driver.Conn) (int, error) {
	c, ok := conn.(*postgresConn)
	if !ok || c.shared {
		return reserved, nil
	}
	const query = `SELECT least(
		current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
			- coalesce(current_setting('reserved_connections', true), '0')::int
			- (SELECT coalesce(sum(numbackends), 0) FROM pg_stat_database),
		(SELECT CASE WHEN d.datconnlimit >= 0 THEN d.datconnlimit - pg_stat_get_db_numbackends(d.oid) END
			FROM pg_database d WHERE d.datname = current_database()),
		(SELECT CASE WHEN r.rolconnlimit >= 0 THEN r.rolconnlimit
			- (SELECT count(*) FROM pg_stat_activity a WHERE a.usesysid = r.oid) END
			FROM pg_roles r WHERE r.rolname = current_user))`
	var free int
	err := c.Conn.Conn().QueryRow(ctx, query).Scan(&free)
	return free, err
}

// tooManyConnections reports whether the database, or a pooler, accepts no more connections.
func tooManyConnections(err error) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && (pg.Code == "53300" || pg.Code == protocolViolation &&
		strings.Contains(pg.Message, "no more connections allowed"))
}

// protocolViolation is the code of all errors of PgBouncer itself.
const protocolViolation = "08P01"

func unavailable(cause error) error {
	return errs.New(errs.Unavailable, "The server is temporarily unavailable").Because(cause)
}
