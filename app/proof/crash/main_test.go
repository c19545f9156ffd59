package crash_test

import (
	"os"
	"testing"

	"github.com/stoachat/stoa/app/proof/internal/harness"
)

func TestMain(m *testing.M) {
	if v := os.Getenv(versionVariable); v != "" {
		runVersion(v)
	}
	code := harness.Main(m)
	if alone() {
		printFaults()
	}
	os.Exit(code)
}

// alone reports whether the tests have the machine and the database server to themselves, as in make cluster.
func alone() bool { return os.Getenv("STOA_TEST_ALONE") != "" }
