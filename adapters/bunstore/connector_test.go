package bunstore

import (
	"context"
	"database/sql/driver"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/stoachat/stoa/domain/errs"
)

// crowded is a database that accepts only a few more connections.
type crowded struct{ left atomic.Int32 }

type crowdedConn struct {
	driver.Conn // no statements are run
	of          *crowded
}

func (c *crowdedConn) Close() error { c.of.left.Add(1); return nil }

func (c *crowded) Driver() driver.Driver { return nil }

func (c *crowded) Connect(context.Context) (driver.Conn, error) {
	if c.left.Add(-1) < 0 {
		c.left.Add(1)
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
		pool := openPool(database, &pgx.ConnConfig{}, 16)
		pool.SetMaxOpenConns(16)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
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

// TestPoolWaitsForItsFirstConnection checks that a pool without connections waits briefly for the first one, and then
// fails with Unavailable.
func TestPoolWaitsForItsFirstConnection(t *testing.T) {
	database := &crowded{}
	pool := openPool(database, &pgx.ConnConfig{}, 16)
	defer pool.Close()
	time.AfterFunc(2*connectPause, func() { database.left.Store(1) })
	c, err := pool.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	_ = c.Close()

	none := openPool(&crowded{}, &pgx.ConnConfig{}, 16)
	defer none.Close()
	_, err = none.Conn(t.Context())
	var cause *OpenError
	if !errs.Is(err, errs.Unavailable) || !errors.As(err, &cause) {
		t.Errorf("got %v", err)
	}
}
