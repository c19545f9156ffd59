package bench_test

import (
	"os"
	"testing"

	"github.com/stoachat/stoa/app/proof/internal/harness"
)

func TestMain(m *testing.M) {
	if addr := os.Getenv(referenceServer); addr != "" {
		runReference(addr)
		return
	}
	if site := os.Getenv(senderProcess); site != "" {
		runSender(site)
		return
	}
	if where := os.Getenv(sinkServer); where != "" {
		runSink(where)
		return
	}
	os.Exit(harness.Main(m))
}

// server adds measurements to a process of the program.
type server struct{ *harness.Server }

func newServer(b testing.TB) *server { b.Helper(); return &server{harness.NewServer(b)} }
