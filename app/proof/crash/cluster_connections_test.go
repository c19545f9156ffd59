package crash_test

import (
	"context"
	"database/sql"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stoachat/stoa/adapters/bunstore/storetest"
	"github.com/stoachat/stoa/app/proof/internal/harness"
)

// scarce is the number of PostgreSQL connections for three nodes, which would open 54: each needs four, and two for
// notifications.
const scarce = 18

// TestClusterFewConnections runs three nodes on a PostgreSQL whose other connections are taken. Requests must wait for
// a connection: none may fail, not even with a temporary error.
func TestClusterFewConnections(t *testing.T) {
	if !storetest.Postgres() || !alone() {
		t.Skip("takes the connections of the database server: run make cluster")
	}
	var taken *sql.DB
	c := newCluster(t, 3, func(*harness.Server) { taken = takeConnections(t, scarce) })
	c.strict = true
	var used int
	var slowest time.Duration
	c.trouble(12, time.Second, func() {
		ctx, stop := context.WithTimeout(t.Context(), 15*time.Second)
		defer stop()
		var reading sync.WaitGroup
		for _, p := range c.people {
			for range 4 {
				reading.Go(func() { c.read(ctx, p, &slowest) })
			}
		}
		used = c.connections(ctx, taken)
		reading.Wait()
	})
	t.Logf("the nodes had %d connections at most", used)
	if used > scarce {
		t.Errorf("connections were not scarce")
	}
	c.report("18 database connections for 3 nodes", "slowest request", max(slowest, c.all.longest))
}

// takeConnections opens connections until the database server accepts only left more. They are closed when the test
// ends.
func takeConnections(t *testing.T, left int) *sql.DB {
	t.Helper()
	db, err := sql.Open("pgx", os.Getenv("STOA_TEST_POSTGRES_URL"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	db.SetMaxIdleConns(1)
	var held []*sql.Conn
	t.Cleanup(func() {
		for _, c := range held {
			_ = c.Close()
		}
	})
	for {
		var free int
		err := db.QueryRow(`SELECT current_setting('max_connections')::int - count(*) FROM pg_stat_activity
			WHERE backend_type = 'client backend'`).Scan(&free)
		if err != nil {
			t.Fatal(err)
		}
		if free <= left {
			return db
		}
		for range free - left {
			conn, err := db.Conn(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			held = append(held, conn)
		}
	}
}

// connections returns the largest number of connections to the nodes' database until ctx ends.
func (c *cluster) connections(ctx context.Context, db *sql.DB) (most int) {
	c.t.Helper()
	at, err := url.Parse(c.nodes[0].Variable("STOA_DATABASE_URL"))
	if err != nil {
		c.t.Fatal(err)
	}
	for ctx.Err() == nil {
		var n int
		if err := db.QueryRow(`SELECT count(*) FROM pg_stat_activity
			WHERE datname = $1 AND backend_type = 'client backend'`,
			strings.TrimPrefix(at.Path, "/")).Scan(&n); err != nil {
			c.t.Fatal(err)
		}
		most = max(most, n)
		select {
		case <-ctx.Done():
		case <-time.After(200 * time.Millisecond):
		}
	}
	return most
}

// read reads the history as a member until ctx ends.
func (c *cluster) read(ctx context.Context, p *member, slowest *time.Duration) {
	for ctx.Err() == nil {
		began := time.Now()
		_, ok := p.until(http.MethodGet, "/messages", url.Values{"anchor": {"newest"}, "num_before": {"20"},
			"num_after": {"0"}, "narrow": {`[["channel","proof"]]`}})
		if !ok {
			return
		}
		c.mu.Lock()
		*slowest = max(*slowest, time.Since(began))
		c.mu.Unlock()
	}
}
