package crash_test

import (
	"context"
	"database/sql"
	"net/url"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stoachat/stoa/adapters/bunstore/storetest"
	"github.com/stoachat/stoa/app/proof/internal/harness"
)

// hangs is how long a node is stopped, and holdUp how long it may hold up the others: two seconds, and time for a busy
// machine.
const (
	hangs  = 9 * time.Second
	holdUp = 4 * time.Second
)

// TestClusterHungNode stops a node (SIGSTOP) while it holds the lock of the realm, and measures how long the other
// nodes wait for it.
func TestClusterHungNode(t *testing.T) {
	if !storetest.Postgres() || !alone() {
		t.Skip("measures times on several nodes: run make cluster")
	}
	t.Run("direct", func(t *testing.T) { hungNode(t, "hung node") })
	t.Run("pgbouncer", func(t *testing.T) {
		pooler := os.Getenv("STOA_TEST_PGBOUNCER")
		if pooler == "" {
			t.Skip("requires PgBouncer: run it with .ci/pgbouncer")
		}
		hungNode(t, "hung node behind PgBouncer", func(first *harness.Server) {
			at, err := url.Parse(first.Variable("STOA_DATABASE_URL"))
			if err != nil {
				t.Fatal(err)
			}
			at.Host = pooler
			first.Env = append(first.Env, "STOA_DATABASE_URL="+at.String())
		})
	})
}

func hungNode(t *testing.T, name string, change ...func(*harness.Server)) {
	t.Helper()
	c := newCluster(t, 3, change...)
	var longest time.Duration
	c.trouble(4, time.Second, func() {
		ctx, stop := context.WithCancel(t.Context())
		var sending sync.WaitGroup
		// Users of the balancer may all wait for the node that hangs, so only those of other nodes are measured.
		var others gaps
		for i := range 6 {
			p := c.join(100 + i)
			if p.URL = c.nodes[0].URL; i >= 3 { // the first three are more load on the node that will hang
				p.URL, p.gaps = c.nodes[1+i%2].URL, &others
			}
			sending.Go(func() { p.send(ctx) })
		}
		c.stopWithLock(c.nodes[0])
		others.restart()
		time.Sleep(hangs)
		longest = others.restart()
		if err := c.nodes[0].Signal(syscall.SIGCONT); err != nil {
			t.Error(err)
		}
		stop()
		sending.Wait()
	})
	c.report(name, "hold-up of other nodes", longest)
	if longest > holdUp {
		t.Errorf("a hung node held up the others for %.1f s", longest.Seconds())
	}
}

// stopWithLock stops a node's process at a moment at which it is idle in a transaction that holds a lock.
func (c *cluster) stopWithLock(n *harness.Server) {
	c.t.Helper()
	at, err := url.Parse(n.Variable("STOA_DATABASE_URL"))
	if err != nil {
		c.t.Fatal(err)
	}
	db, err := sql.Open("pgx", os.Getenv("STOA_TEST_POSTGRES_URL"))
	if err != nil {
		c.t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		if err := n.Signal(syscall.SIGSTOP); err != nil {
			c.t.Fatal(err)
		}
		time.Sleep(100 * time.Millisecond) // a node that runs is idle for a shorter time
		var holds bool
		err := db.QueryRow(`SELECT EXISTS (SELECT FROM pg_locks l JOIN pg_stat_activity a USING (pid)
			WHERE l.locktype = 'advisory' AND l.granted AND a.datname = $1 AND a.state = 'idle in transaction'
			AND a.state_change < clock_timestamp() - interval '90 ms')`, strings.TrimPrefix(at.Path, "/")).Scan(&holds)
		if err != nil {
			c.t.Fatal(err)
		}
		if holds {
			return
		}
		if err := n.Signal(syscall.SIGCONT); err != nil {
			c.t.Fatal(err)
		}
	}
	c.t.Fatal("the node never held a lock")
}
