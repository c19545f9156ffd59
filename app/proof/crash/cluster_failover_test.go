package crash_test

import (
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/stoachat/stoa/adapters/bunstore/storetest"
)

// TestClusterFailover kills the database of a cluster and promotes its synchronous standby. The URL names both servers.
// Acknowledged messages must be stored once and reach every queue once and in order.
func TestClusterFailover(t *testing.T) {
	command := os.Getenv("STOA_TEST_FAILOVER")
	if !storetest.Postgres() || command == "" {
		t.Skip("requires a database with a standby: run it with .ci/standby")
	}
	t.Setenv("STOA_TEST_POSTGRES_URL", os.Getenv("STOA_TEST_FAILOVER_URL"))
	c := newCluster(t, 3)
	c.trouble(6, 2*time.Second, func() {
		if out, err := exec.Command("sh", "-c", command).CombinedOutput(); err != nil {
			t.Errorf("fail over: %v\n%s", err, out)
		}
	})
	c.report("failover to a synchronous standby", "hold-up", c.all.longest)
}
