package messages_test

import (
	"os"
	"testing"
	"time"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/modules/accounts"
	"github.com/stoachat/stoa/modules/channels"
	"github.com/stoachat/stoa/modules/groups"
	"github.com/stoachat/stoa/modules/messages"
	"github.com/stoachat/stoa/modules/realm"
)

// BenchmarkLateMove measures refused moves of a topic of 200,000 messages, half of which are too old to move. The
// movers are a user who can see all of them, one who received all, one who received the newer half, and one who has all
// because they were moved there. It then measures sends during such refusals.
func BenchmarkLateMove(b *testing.B) {
	options := unlimited()
	options.Config += "\nmodules: {accounts: {password_memory_kib: 8, password_passes: 1}}"
	server := kittest.StartWith(b, options, realm.Module, accounts.Module, groups.Module, channels.Module, messages.Module)
	s := &stored{server, server.App.DB()}
	old, young := map[string]int64{}, map[string]int64{}
	var brought int64
	for _, name := range []string{"vault", "brought"} {
		brought = makeChannel(server, name, []string{"olga", "alice", "bob"}, "invite_only", "true",
			"history_public_to_subscribers", "false")
	}
	half := func(ids map[string]int64) {
		for _, in := range []string{"general", "vault", "brought"} {
			ids[in] = post(server, "alice", in, "t", "x")
			for range 10 {
				s.fill(ids[in], history/20, "recipient_id")
			}
		}
	}
	half(old)
	subscribe(server, "olga", "guest", "vault")
	post(server, "alice", "vault", "t", "the first that guest has")
	server.Clock.Advance(tooLong)
	half(young)
	s.exec("UPDATE messages SET facts = 32 WHERE recipient_id = ?", brought<<1)
	s.exec(`INSERT INTO message_edits (message_id, n, seq, user_id, at, prev_recipient_id, recipient_id, to_protected)
		SELECT id, 1, 1000000, sender_id, sent_at, ?, recipient_id, false FROM messages WHERE recipient_id = ?`,
		server.ChannelID("general")<<1, brought<<1)
	if os.Getenv("STOA_TEST_DATABASE") == "postgres" { // PostgreSQL analyzes tables automatically
		for _, table := range []string{"messages", "message_edits"} {
			if _, err := s.db.From(b.Context()).NewRaw("VACUUM (ANALYZE) " + table).Exec(b.Context()); err != nil {
				b.Fatal(err)
			}
		}
	}
	for _, c := range []struct {
		name, as string
		id       int64
		mode     string
	}{
		{"open, old", "bob", old["general"], "change_one"},
		{"open, whole topic", "bob", young["general"], "change_all"},
		{"received, old", "bob", old["vault"], "change_one"},
		{"received, whole topic", "bob", young["vault"], "change_all"},
		{"received half of it", "guest", young["vault"], "change_all"},
		{"brought there", "bob", young["brought"], "change_all"},
	} {
		refuse := func() {
			edit(server, c.as, c.id, "topic", "u", "propagate_mode", c.mode).Error(400, "MOVE_MESSAGES_TIME_LIMIT_EXCEEDED", "")
		}
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				refuse()
			}
			b.ReportMetric(b.Elapsed().Seconds()*1e3/float64(b.N), "ms/refusal")
		})
		b.Run(c.name+", sends beside", func(b *testing.B) {
			done, ended := make(chan struct{}), make(chan struct{})
			go func() {
				defer close(ended)
				for {
					select {
					case <-done:
						return
					default:
						refuse()
					}
				}
			}()
			var longest time.Duration
			for b.Loop() {
				start := time.Now()
				post(server, "olga", "general", "other", "x")
				longest = max(longest, time.Since(start))
			}
			close(done)
			<-ended
			b.ReportMetric(longest.Seconds()*1e3, "ms/longest")
			b.ReportMetric(b.Elapsed().Seconds()*1e3/float64(b.N), "ms/send")
		})
	}
}
