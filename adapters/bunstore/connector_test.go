package bunstore

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/stoachat/stoa/app/kittest/testrun"
	"github.com/stoachat/stoa/domain/errs"
)

// crowded is a database that accepts only a few more connections.
type crowded struct {
	left    atomic.Int32
	refusal atomic.Int32
	refused func(n int32) // called after the n-th refused connection; may be nil
}

type crowdedConn struct {
	driver.Conn // no statements are run
	of          *crowded
}

func (c *crowdedConn) Close() error { c.of.left.Add(1); return nil }

func (c *crowded) Driver() driver.Driver { return nil }

func (c *crowded) Connect(context.Context) (driver.Conn, error) {
	if c.left.Add(-1) < 0 {
		c.left.Add(1)
		if n := c.refusal.Add(1); c.refused != nil {
			c.refused(n)
		}
		return nil, &pgconn.PgError{Code: "53300", Message: "sorry, too many clients already"}
	}
	return &crowdedConn{of: c}, nil
}

// TestPoolMakesDoWithFewConnections checks that a pool that cannot open more connections uses those it has, however
// many callers wait.
func TestPoolMakesDoWithFewConnections(t *testing.T) {
	for _, left := range []int32{1, 3} {
		database := &crowded{}
		database.left.Store(left)
		pool := crowdedPool(&connectors{}, database, 16, 2)
		ctx, cancel := context.WithTimeout(t.Context(), testrun.Patience)
		defer cancel()
		var all sync.WaitGroup
		for range 50 {
			all.Go(func() {
				for range 20 {
					c, err := pool.Conn(ctx)
					if err != nil {
						t.Error(err)
						return
					}
					runtime.Gosched() // lets other callers queue
					_ = c.Close()
				}
			})
		}
		all.Wait()
		if err := pool.Close(); err != nil {
			t.Error(err)
		}
	}
}

func crowdedPool(node *connectors, database driver.Connector, conns, floor int) *sql.DB {
	return node.open(poolConfig{Connector: database, cfg: &pgx.ConnConfig{}, maxConns: conns, floor: floor})
}

// TestPoolWaitsForItsFirstConnection checks that a pool without connections waits for the first one as long as its
// caller does, and then fails with Unavailable and the cause.
func TestPoolWaitsForItsFirstConnection(t *testing.T) {
	database := &crowded{}
	pool := crowdedPool(&connectors{}, database, 16, 1)
	defer pool.Close()
	database.refused = func(n int32) {
		if n == 3 {
			database.left.Store(1)
		}
	}
	c, err := pool.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	_ = c.Close()

	none := &crowded{}
	empty := crowdedPool(&connectors{}, none, 16, 1)
	defer empty.Close()
	ctx, cancel := context.WithCancel(t.Context())
	none.refused = func(int32) { cancel() }
	_, err = empty.Conn(ctx)
	var cause *OpenError
	if !errs.Is(err, errs.Unavailable) || !errors.As(err, &cause) {
		t.Errorf("got %v", err)
	}
}

// TestPoolTakesFromAnother checks that a pool without connections gets one of another pool of its node, which then
// makes do with the rest.
func TestPoolTakesFromAnother(t *testing.T) {
	node, database := &connectors{}, &crowded{}
	database.left.Store(3)
	rich, poor := crowdedPool(node, database, 16, 2), crowdedPool(node, database, 16, 1)
	defer rich.Close()
	defer poor.Close()
	var held []*sql.Conn
	for range 3 {
		c, err := rich.Conn(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		held = append(held, c)
	}
	database.refused = func(n int32) {
		if n == 2 { // the first attempt has failed, and then the first one in the line
			_ = held[0].Close()
		}
	}
	c, err := poor.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if n := rich.Stats().OpenConnections; n != 2 {
		t.Errorf("the other pool has %d connections", n)
	}
	for _, c := range append(held[1:], c) {
		_ = c.Close()
	}
}

// TestPoolLeavesTheLastConnections checks that a pool beyond its floor leaves the last few connections to other nodes.
func TestPoolLeavesTheLastConnections(t *testing.T) {
	database := &crowded{}
	database.left.Store(10)
	free := func(context.Context, driver.Conn) (int, error) { return int(database.left.Load()), nil }
	pool := (&connectors{}).open(poolConfig{
		Connector: database, cfg: &pgx.ConnConfig{}, maxConns: 16, floor: 2, free: free,
	})
	defer pool.Close()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	got := make(chan *sql.Conn, 16)
	for range cap(got) {
		go func() {
			if c, err := pool.Conn(ctx); err == nil {
				got <- c
			}
		}()
	}
	for range 10 - reserved {
		defer func(c *sql.Conn) { _ = c.Close() }(<-got)
	}
	for pool.Stats().WaitCount < int64(cap(got)-(10-reserved)) {
		runtime.Gosched()
	}
	if left := database.left.Load(); left != reserved {
		t.Errorf("%d connections are left, want %d", left, reserved)
	}
	cancel()
}
