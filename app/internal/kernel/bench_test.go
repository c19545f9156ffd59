package kernel

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stoachat/stoa/adapters/bunstore/storetest"
)

// BenchmarkWriter sends messages from a number of concurrent clients, and compares that with as many clients that each
// commit a single row, on the same database in the same run. writer/bare is how much faster the writer is.
func BenchmarkWriter(b *testing.B) {
	for _, clients := range []int{1, 16, 64} {
		b.Run(fmt.Sprint(clients), func(b *testing.B) {
			url := "sqlite:" + filepath.Join(b.TempDir(), "bench.db") // on disk
			if storetest.Postgres() {
				url = storetest.PostgresURL(b)
			}
			n := newClusterAt(b, url).node()
			n.must(n.put(bg, 1, 1, named("ann")))
			body := strings.Repeat("x", 300)
			all := func(count int, do func() error) time.Duration {
				start := time.Now()
				var wg sync.WaitGroup
				for c := range clients {
					wg.Go(func() {
						for i := c; i < count; i += clients {
							if err := do(); err != nil {
								b.Error(err)
								return
							}
						}
					})
				}
				wg.Wait()
				return time.Since(start) / time.Duration(count)
			}
			bare := bareCommits(b, url)
			insert := "INSERT INTO t_messages (realm_id, sender, body) VALUES (1, 1, '" + body + "')"
			send := func() error { _, err := n.send(bg, 1, 1, body); return err }
			one := func() error { _, err := bare.Exec(insert); return err }
			all(200, send)
			all(200, one)
			count := max(1, b.N)
			b.ResetTimer()
			took := all(count, send)
			b.StopTimer()
			reference := all(min(max(count, 1000), 10_000), one)
			b.ReportMetric(1/took.Seconds(), "sends/s")
			b.ReportMetric(1/reference.Seconds(), "bare/s")
			b.ReportMetric(reference.Seconds()/took.Seconds(), "writer/bare")
		})
	}
}

func bareCommits(b *testing.B, url string) *sql.DB {
	b.Helper()
	driver, conns := "pgx", 16
	if path, ok := strings.CutPrefix(url, "sqlite:"); ok {
		driver, url, conns = "sqlite", "file:"+path+"?_pragma=synchronous(FULL)&_pragma=busy_timeout(5000)", 1
	}
	db, err := sql.Open(driver, url)
	if err != nil {
		b.Fatal(err)
	}
	db.SetMaxOpenConns(conns)
	db.SetMaxIdleConns(conns)
	b.Cleanup(func() { _ = db.Close() })
	return db
}
