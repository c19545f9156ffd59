package harness

import (
	"testing"

	"github.com/stoachat/stoa/adapters/bunstore/storetest"
	"github.com/stoachat/stoa/app/kittest/testrun"
)

// SQLiteSuffices skips a test on PostgreSQL, unless all tests run on both databases.
func SQLiteSuffices(t testing.TB, why string) {
	t.Helper()
	if storetest.Postgres() && !testrun.Long() {
		t.Skip("on SQLite only: " + why)
	}
}
