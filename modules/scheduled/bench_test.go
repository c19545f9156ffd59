package scheduled_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/modules/accounts"
	"github.com/stoachat/stoa/modules/channels"
	"github.com/stoachat/stoa/modules/groups"
	"github.com/stoachat/stoa/modules/messages"
	"github.com/stoachat/stoa/modules/realm"
	"github.com/stoachat/stoa/modules/scheduled"
)

// untilLook is the longest time until the job checks for due messages.
const untilLook = 100 * time.Millisecond

// BenchmarkDue sends 10,000 messages that are due at the same time, half of them direct, with one node and, on
// PostgreSQL, with three nodes. It reports the largest delay.
func BenchmarkDue(b *testing.B) {
	const due = 10_000
	kinds := map[string]int{"one": 1}
	url := "sqlite:" + filepath.Join(b.TempDir(), "stoa.db")
	if os.Getenv("STOA_TEST_DATABASE") == "postgres" {
		url, kinds["three"] = kittest.Elsewhere, 3
	}
	for name, nodes := range kinds {
		b.Run("nodes="+name, func(b *testing.B) {
			s := kittest.StartWith(b, kittest.Options{DatabaseURL: kittest.Real(b, url)},
				realm.Module, accounts.Module, groups.Module, channels.Module, messages.Module, scheduled.Module)
			all := []*kittest.Server{s}
			for len(all) < nodes {
				all = append(all, s.Another())
			}
			for b.Loop() {
				b.StopTimer()
				fill(s, due)
				b.StartTimer()
				var running sync.WaitGroup
				for _, n := range all {
					running.Go(func() {
						if err := n.App.RunJob(context.Background(), "scheduled.deliver"); err != nil {
							b.Error(err)
						}
					})
				}
				running.Wait()
				b.StopTimer()
				for _, who := range []string{"alice", "bob"} {
					if left := s.As(who).Do("GET /scheduled_messages").OK(); left.Has("scheduled_messages.0") {
						b.Fatal("messages are left")
					}
				}
				b.StartTimer()
			}
			b.ReportMetric((b.Elapsed()/time.Duration(b.N) + untilLook).Seconds(), "s-late")
		})
	}
}

// fill schedules n due messages of alice and bob.
func fill(s *kittest.Server, n int) {
	s.T.Helper()
	toGeneral(s, "alice", "a message with a **bold** word", time.Minute)
	s.As("bob").Do("POST /scheduled_messages", "type", "direct", "to", fmt.Sprintf("[%d]", s.UserID("alice")), "content",
		"a direct message",
		"scheduled_delivery_timestamp", in(s, time.Minute)).OK()
	const columns = `realm_id, user_id, kind, state, deliver_at, try_at, channel_id, recipients, topic, content, rendered, read_by_sender, client,
		url, target_id, error, version`
	s.Do(func(ctx context.Context) error {
		_, err := s.App.DB().From(ctx).NewRaw(`INSERT INTO scheduled_messages (`+columns+`)
			WITH RECURSIVE n (i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
			SELECT `+columns+` FROM scheduled_messages, n WHERE state = 0`, n/2).Exec(ctx)
		return err
	})
	s.Clock.Advance(time.Minute)
}
