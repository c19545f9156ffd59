package presence_test

import (
	"context"
	"encoding/json"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/modules/kit"
)

type dbNeeds struct {
	fx.In
	DB *bunstore.DB
}

const many = 10_000

// startMany starts a server with 10,000 additional users, all of whom have just reported; alice is invisible.
func startMany(b *testing.B) (*kittest.Server, *bunstore.DB) {
	b.Helper()
	var db *bunstore.DB
	s := start(b, "", crowd(many), kit.Define("database", "Lends the database to a test.", kit.None{},
		func(_ kit.None, n dbNeeds) (kit.Parts, error) {
			db = n.DB
			return kit.Parts{}, nil
		}))
	s.Do(func(ctx context.Context) error {
		_, err := db.From(ctx).NewRaw(`INSERT INTO presences (user_id, realm_id, active_at, connected_at, counter)
			WITH RECURSIVE i(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM i WHERE n < ?)
			SELECT ? + n, ?, ?, ?, n + 1 FROM i`, many-1, firstOfCrowd, s.Realm, s.Clock.Now(), s.Clock.Now()).Exec(ctx)
		return err
	})
	s.As("alice").Do("PATCH /settings", "presence_enabled", "false").OK()
	return s, db
}

// BenchmarkPoll requests the changes since a counter among 10,000 users, and reports the cost relative to reading and
// encoding the same rows by hand.
func BenchmarkPoll(b *testing.B) {
	s, db := startMany(b)
	for _, changed := range []int{0, 200, 2000, many} {
		after := many + 1 - changed // alice has the last counter
		hand := 0.0
		b.Run(fmt.Sprintf("changed=%d/by hand", changed), func(b *testing.B) {
			for b.Loop() {
				var rows []map[string]any
				if err := db.From(b.Context()).NewRaw("SELECT * FROM presences WHERE realm_id = ? AND counter > ?", s.Realm,
					after).Scan(b.Context(), &rows); err != nil {
					b.Fatal(err)
				}
				if _, err := json.Marshal(rows); err != nil {
					b.Fatal(err)
				}
			}
			hand = b.Elapsed().Seconds() / float64(b.N)
		})
		b.Run(fmt.Sprintf("changed=%d", changed), func(b *testing.B) {
			n := 0
			for b.Loop() {
				a := s.In(b).As("alice").Do(path, "status", "active", "last_update_id", fmt.Sprint(after))
				if n = len(a.Body); a.Status != 200 || n < 60*changed {
					b.Fatal(a.Body)
				}
			}
			b.ReportMetric(b.Elapsed().Seconds()/float64(b.N)/hand, "x-by-hand")
			b.ReportMetric(float64(n), "bytes")
		})
	}
	b.Run("all, older format", func(b *testing.B) {
		for b.Loop() {
			s.In(b).As("alice").Do("GET /realm/presence").OK()
		}
	})
}

// BenchmarkReport lets 10,000 users report concurrently, once per minute of the server's clock. The required rate is
// 167 per second.
func BenchmarkReport(b *testing.B) {
	s, _ := startMany(b)
	var next atomic.Int64
	s.Clock.Advance(time.Minute)
	b.SetParallelism(16)
	b.RunParallel(func(p *testing.PB) {
		for p.Next() {
			n := next.Add(1)
			if n%many == 0 {
				s.Clock.Advance(time.Minute)
			}
			email, key := crowdLogin(int(n % many))
			if a := s.WithKey(email, key).Do(path, "status", "active", "ping_only", "true"); a.Status != 200 {
				b.Errorf("%s", a.Body)
				return
			}
		}
	})
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "reports/s")
}
