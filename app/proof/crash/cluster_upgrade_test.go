package crash_test

import (
	"database/sql"
	"errors"
	"maps"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stoachat/stoa/adapters/bunstore/storetest"
	"github.com/stoachat/stoa/app/kittest/testrun"
	"github.com/stoachat/stoa/app/proof/internal/harness"
)

// TestClusterUpgrade replaces the nodes of a cluster by those of the next version, one after the other, while people
// send and poll. Each request succeeds at the second attempt at the latest. The upgrade cannot be finished before the
// last old node is gone, and no old node starts after that.
func TestClusterUpgrade(t *testing.T) {
	if !storetest.Postgres() {
		t.Skip("SQLite supports a single node")
	}
	people, pause := 6, 2*time.Second
	if !testrun.Long() {
		people, pause = 2, 200*time.Millisecond
	}
	c := newCluster(t, 3, func(first *harness.Server) { as(t, first, earlier) })
	c.retries = 1
	last := len(c.nodes) - 1
	next := c.nodes[0].Node()
	as(t, next, later)
	plan := string(next.Run("upgrade", "check"))
	for _, want := range []string{
		"new version: " + later, "running: " + earlier + " (serve on ", "expand: counted/002_new ",
		"contract: waits for stoa migrate finish: counted/003_old ", "downgrade: possible, until stoa migrate finish",
	} {
		if !strings.Contains(plan, want) {
			t.Errorf("%q is missing from the plan of the upgrade:\n%s", want, plan)
		}
	}
	c.trouble(people, pause,
		func() { next.Run("migrate", "up") },
		func() {
			for _, n := range c.nodes[:last] {
				c.replace(n, later)
			}
			if testrun.Long() { // until the upgrade is finished, there is a way back
				c.replace(c.nodes[0], earlier)
				c.replace(c.nodes[0], later)
			}
			_, stderr, err := next.Try("migrate", "finish")
			var exit *exec.ExitError
			if !errors.As(err, &exit) || exit.ExitCode() != 4 || strings.Count(stderr, earlier) != 1 {
				t.Errorf("with an old node, finishing ended with %v: %s", err, stderr)
			}
		},
		func() { c.replace(c.nodes[last], later) },
		func() { next.Run("migrate", "finish") },
	)
	c.report("nodes replaced by the next version", "hold-up", c.all.longest)

	old := c.nodes[0].Node()
	as(t, old, earlier)
	const want = "a newer version of this program (" + later + ") has changed the tables of module counted (step 003_old)"
	if _, stderr, err := old.Try("serve"); err == nil || !strings.Contains(stderr, want) {
		t.Errorf("after the upgrade, an old node ended with %v: %s", err, stderr)
	}
	db, err := sql.Open("pgx", old.Variable("STOA_DATABASE_URL"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	var lacking int // messages whose row in the replaced table is lost
	const query = `SELECT count(*) FROM messages WHERE id >= $1 AND id NOT IN (SELECT message_id FROM counted)`
	if err := db.QueryRow(query, slices.Min(slices.Collect(maps.Values(c.acked)))).Scan(&lacking); err != nil {
		t.Fatal(err)
	}
	if lacking > 0 {
		t.Errorf("%d messages were not counted", lacking)
	}
}

// replace stops a node and starts another version in its place.
func (c *cluster) replace(n *harness.Server, version string) {
	begun := time.Now()
	c.stop(n)
	stopped := time.Now()
	as(c.t, n, version)
	n.Start()
	c.t.Logf("a node stopped in %v, and started as %s in %v", stopped.Sub(begun), version, time.Since(stopped))
}
