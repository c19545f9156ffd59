package bunstore

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/stoachat/stoa/domain/errs"
)

// Limits for a pool while the database has no connections left.
const (
	growAfter     = 10 * time.Second       // delay before a shrunk pool may grow again
	firstConnWait = 3 * time.Second        // how long an empty pool waits for its first connection
	connectPause  = 100 * time.Millisecond // between two attempts to connect
)

// connector opens a pool's connections. While the database accepts no more, the pool shrinks to those already open. If
// the database cannot be reached, Connect returns errs.Unavailable, so that any store's unwrapped error becomes a 503.
type connector struct {
	driver.Connector
	cfg      *pgx.ConnConfig
	pool     *sql.DB
	maxConns int // the pool's maximum of connections

	opening atomic.Int32 // connections that the pool counts but that are not open yet
}

// openPool opens a pool of up to maxConns connections.
func openPool(of driver.Connector, cfg *pgx.ConnConfig, maxConns int) *sql.DB {
	c := &connector{Connector: of, cfg: cfg, maxConns: maxConns}
	c.pool = sql.OpenDB(c)
	c.pool.SetConnMaxIdleTime(5 * time.Minute)
	return c.pool
}

// Connect implements driver.Connector.
func (c *connector) Connect(ctx context.Context) (driver.Conn, error) {
	c.opening.Add(1)
	defer c.opening.Add(-1)
	for elapsed := time.Duration(0); ; elapsed += connectPause {
		conn, err := c.Connector.Connect(ctx)
		switch {
		case err == nil || ctx.Err() != nil:
			return conn, err
		case !tooManyConnections(err):
			return nil, unavailable(explain(c.cfg, err))
		}
		if open := c.pool.Stats().OpenConnections - int(c.opening.Load()); open > 0 {
			c.shrink(open)
			return nil, driver.ErrBadConn // the pool retries, and waits for one of its connections
		}
		if elapsed >= firstConnWait {
			return nil, unavailable(explain(c.cfg, err))
		}
		select {
		case <-time.After(connectPause):
		case <-ctx.Done():
		}
	}
}

// shrink limits the pool to its open connections for a while.
func (c *connector) shrink(open int) {
	c.pool.SetMaxOpenConns(open)
	time.AfterFunc(growAfter, func() {
		c.pool.SetMaxOpenConns(c.maxConns)
		c.pool.SetMaxIdleConns(c.maxConns) // lowered implicitly with the pool's size
	})
}

// tooManyConnections reports whether the database has no connections left.
func tooManyConnections(err error) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && pg.Code == "53300"
}

func unavailable(cause error) error {
	return errs.New(errs.Unavailable, "The server is temporarily unavailable").Because(cause)
}
