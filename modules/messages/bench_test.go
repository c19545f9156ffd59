package messages_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/messages"
)

// crowd subscribes n more users to general.
func crowd(n int) kit.Module {
	load := func(_ context.Context, _ realm.ID, b *directory.Builder) error {
		for i := range n {
			id := user.ID(1000 + i)
			b.User(&user.User{ID: id, DeliveryEmail: fmt.Sprintf("u%d@example.com", i), FullName: "Zeno", Role: user.Member,
				Active: true})
			b.Subscriptions(id, 1)
		}
		return nil
	}
	return kit.Define("crowd", "Many people.", kit.None{}, func(kit.None, dbNeeds) (kit.Parts, error) {
		return kit.Parts{Directory: []directory.Part{{Name: "crowd", Load: load}}}, nil
	})
}

// BenchmarkSendGrowth checks that the cost of sending a message does not increase with the number of subscribers.
func BenchmarkSendGrowth(b *testing.B) {
	var base float64
	for _, n := range []int{10, 1000, 100_000} {
		b.Run(fmt.Sprintf("subscribers=%d", n), func(b *testing.B) {
			s := kittest.StartWith(b, unlimited(), messages.Module, crowd(n))
			post(s, "alice", "general", "x", "hello")
			for b.Loop() {
				post(s, "alice", "general", "x", "hello")
			}
			per := b.Elapsed().Seconds() / float64(b.N)
			if base == 0 {
				base = per
			}
			b.ReportMetric(per/base, "x-of-10")
		})
	}
}

// The history has this many messages in 20 places, of which bob sees 15.
const (
	history = 200_000
	perPage = 100
)

// BenchmarkHistory reads pages of 100 messages in the middle of a long history and compares the cost with reading the
// same rows directly. The client only counts the messages, since decoding them would take a third of the time.
func BenchmarkHistory(b *testing.B) {
	s := startStored(b)
	sendToMany(s.Server)
	like := post(s.Server, "alice", "general", "lunch", "hello *you*, see https://example.com/")
	mention := post(s.Server, "alice", "general", "lunch", "hello @**Bob**")
	s.fill(like, history, fmt.Sprintf("CASE WHEN i %% 4 = 0 THEN %d WHEN i %% 4 = 1 THEN %d ELSE (i %% 20) * 2 + 1 END",
		s.ChannelID("general")<<1, s.ChannelID("secret")<<1))
	s.Do(func(ctx context.Context) error {
		_, err := s.db.From(ctx).NewRaw("INSERT INTO message_flags (user_id, message_id, flags) SELECT ?, id, 4 FROM "+
			"messages WHERE id > ? AND id % 100 = 0",
			s.UserID("bob"), mention).Exec(ctx)
		return err
	})
	if os.Getenv("STOA_TEST_DATABASE") == "postgres" {
		s.exec("ANALYZE") // as autovacuum does within two minutes; BenchmarkBurst measures the time before
	}
	var hand float64
	b.Run("by hand", func(b *testing.B) {
		for b.Loop() {
			if err := readDirectly(b.Context(), s); err != nil {
				b.Fatal(err)
			}
		}
		hand = b.Elapsed().Seconds() / float64(b.N)
	})
	for name, narrow := range map[string]string{
		"combined": `[]`, "channel": `[["channel","general"]]`, "topic": `[["channel","general"],["topic","lunch"]]`,
		"dm": `[["dm","alice@example.com"]]`, "sender": `[["sender","alice@example.com"]]`,
		"mentions": `[["is","mentioned"]]`,
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				r := s.As("bob").Do("GET /messages", "anchor", fmt.Sprint(history/2), "num_before", fmt.Sprint(perPage),
					"num_after", "0", "narrow", narrow)
				if n := strings.Count(r.Body, `"sender_id":`); n < perPage {
					b.Fatalf("%d messages", n)
				}
			}
			b.ReportMetric(b.Elapsed().Seconds()/float64(b.N)/hand, "x-by-hand")
		})
	}
}

// readDirectly is the lower bound for the cost of a page: reading the rows through one index and encoding them as JSON.
func readDirectly(ctx context.Context, s *stored) error {
	var rows []map[string]any
	err := s.db.From(ctx).NewRaw("SELECT * FROM messages WHERE recipient_id = ? AND id <= ? ORDER BY id DESC LIMIT ?",
		s.ChannelID("general")<<1, history/2, perPage).Scan(ctx, &rows)
	if err != nil {
		return err
	}
	_, err = json.Marshal(rows)
	return err
}
