package testrun

import (
	"fmt"
	"math/rand/v2"
	"net"
	"testing"
)

// FreeAddr returns an address at which nothing listens, for a server in another process. Its port is below those that
// systems give to outgoing connections, so that no connection takes it before the server starts, or while it restarts.
func FreeAddr(t testing.TB) string {
	t.Helper()
	const first, end, attempts = 10_000, 32_000, 100
	var err error
	for range attempts {
		addr := fmt.Sprintf("127.0.0.1:%d", first+rand.IntN(end-first))
		var l net.Listener
		if l, err = new(net.ListenConfig).Listen(t.Context(), "tcp", addr); err == nil {
			_ = l.Close()
			return addr
		}
	}
	t.Fatalf("no port can be listened at: %v", err)
	return ""
}
