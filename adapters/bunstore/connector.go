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

// When the database has no connections left for a pool.
const (
	fullAgain    = 10 * time.Second       // delay before a shrunk pool tries to grow again
	fullPatience = 3 * time.Second        // how long a pool without any connection waits for its first one
	fullPause    = 100 * time.Millisecond // between attempts
)

// connector opens the connections of a pool. While the database has none left, the pool makes do with those it has.
// When the database cannot be reached it returns Unavailable, so that any store's unwrapped error becomes a 503.
type connector struct {
	driver.Connector
	cfg  *pgx.ConnConfig
	pool *sql.DB
	most int // the pool's maximum of connections

	opening atomic.Int32 // connections that the pool counts but that are not open yet
}

// openPool opens a pool of at most the given number of connections.
func openPool(of driver.Connector, cfg *pgx.ConnConfig, most int) *sql.DB {
	c := &connector{Connector: of, cfg: cfg, most: most}
	c.pool = sql.OpenDB(c)
	c.pool.SetConnMaxIdleTime(5 * time.Minute)
	return c.pool
}

// Connect implements driver.Connector.
func (c *connector) Connect(ctx context.Context) (driver.Conn, error) {
	c.opening.Add(1)
	defer c.opening.Add(-1)
	for waited := time.Duration(0); ; waited += fullPause {
		conn, err := c.Connector.Connect(ctx)
		switch {
		case err == nil || ctx.Err() != nil:
			return conn, err
		case !full(err):
			return nil, unavailable(explain(c.cfg, err))
		}
		if open := c.pool.Stats().OpenConnections - int(c.opening.Load()); open > 0 {
			c.shrink(open)
			return nil, driver.ErrBadConn // the pool retries, and waits for one of its connections
		}
		if waited >= fullPatience {
			return nil, unavailable(explain(c.cfg, err))
		}
		select {
		case <-time.After(fullPause):
		case <-ctx.Done():
		}
	}
}

// shrink keeps the pool from opening more connections for a while.
func (c *connector) shrink(open int) {
	c.pool.SetMaxOpenConns(open)
	time.AfterFunc(fullAgain, func() {
		c.pool.SetMaxOpenConns(c.most)
		c.pool.SetMaxIdleConns(c.most) // lowered implicitly with the pool's size
	})
}

// full reports whether the database has no connections left.
func full(err error) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && pg.Code == "53300"
}

func unavailable(cause error) error {
	return errs.New(errs.Unavailable, "The server is temporarily unavailable").Because(cause)
}
