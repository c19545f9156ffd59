package messages_test

import (
	"fmt"
	"os"
	"slices"
	"testing"
	"time"
)

// BenchmarkBurst reads every kind of narrow right after 10,000 messages were sent, before the database's statistics
// include them. Half of the messages are indexed.
func BenchmarkBurst(b *testing.B) {
	const before, burst = 2000, 10_000
	s := startStored(b)
	sendToMany(s.Server)
	common := post(s.Server, "alice", "general", "lunch", "the quick brown fox, see https://example.com/")
	rare := post(s.Server, "alice", "general", "dinner", "a unicorn")
	mine := sendDirect(s.Server, "alice", "a brown fox for you", "bob")
	post(s.Server, "alice", "general", "lunch", "hello @**Bob**")
	done := post(s.Server, "alice", "general", "✔ done", "fox")
	spread := fmt.Sprintf("CASE WHEN i %% 5 = 0 THEN %d ELSE recipient_id END", s.ChannelID("secret")<<1)
	fill := func(n int) {
		s.fill(common, n*7/10, spread)
		for _, id := range []int64{rare, mine, done} {
			s.fill(id, n/10, "recipient_id")
		}
	}
	fill(before)
	s.RunJob("messages.search")
	postgres := os.Getenv("STOA_TEST_DATABASE") == "postgres"
	if postgres {
		s.exec("ALTER TABLE messages SET (autovacuum_enabled = false)")
		s.exec("ALTER TABLE message_search SET (autovacuum_enabled = false)")
		s.exec("ANALYZE")
	}
	fill(burst / 2)
	s.RunJob("messages.search")
	fill(burst / 2)
	negated := func(operator, operand string) string {
		return fmt.Sprintf(`{"operator":%q,"operand":%q,"negated":true}`, operator, operand)
	}
	for name, narrow := range map[string]string{
		"combined": `[]`, "channel": `[["channel","general"]]`, "topic": `[["channel","general"],["topic","dinner"]]`,
		"dm": `[["dm","alice@example.com"]]`, "is dm": `[["is","dm"]]`,
		"dm including":      `[["dm-including","alice@example.com"]]`,
		"sender":            `[["sender","alice@example.com"]]`,
		"sender in channel": `[["channel","general"],["sender","alice@example.com"]]`,
		"near":              fmt.Sprintf(`[["near","%d"]]`, common), "id": fmt.Sprintf(`[["id","%d"]]`, common),
		"with":            fmt.Sprintf(`[["with","%d"]]`, common),
		"channels public": `[["channels","public"]]`, "has link": `[["has","link"]]`, "has image": `[["has","image"]]`,
		"has reaction": `[["has","reaction"]]`, "mentioned": `[["is","mentioned"]]`,
		"mentions": fmt.Sprintf(`[{"operator":"mentions","operand":%d}]`, s.UserID("bob")),
		"alerted":  `[["is","alerted"]]`, "starred": `[["is","starred"]]`, "unread": `[["is","unread"]]`,
		"read":     `[` + negated("is", "unread") + `]`,
		"resolved": `[["is","resolved"]]`, "followed": `[["is","followed"]]`, "muted": `[["is","muted"]]`,
		"not dm": `[` + negated("is", "dm") + `]`, "not channel": `[` + negated("channel", "general") + `]`,
		"not topic":    `[["channel","general"],` + negated("topic", "lunch") + `]`,
		"not sender":   `[` + negated("sender", "alice@example.com") + `]`,
		"not resolved": `[` + negated("is", "resolved") + `]`, "not link": `[` + negated("has", "link") + `]`,
		"search common": `[["search","fox"]]`, "search rare": `[["search","unicorn"]]`,
		"search nothing":   `[["search","aardvark"]]`,
		"search in dm":     `[["is","dm"],["search","fox"]]`,
		"search in topic":  `[["channel","general"],["topic","dinner"],["search","fox"]]`,
		"search by sender": `[["sender","alice@example.com"],["search","unicorn"]]`,
		"not search":       `[` + negated("search", "fox") + `]`,
	} {
		b.Run(name, func(b *testing.B) {
			var took []time.Duration
			for b.Loop() {
				began := time.Now()
				list(s.Server, "bob", "anchor", "newest", "num_before", fmt.Sprint(perPage), "narrow", narrow)
				took = append(took, time.Since(began))
			}
			slices.Sort(took)
			b.ReportMetric(took[len(took)*99/100].Seconds()*1e3, "p99-ms")
		})
	}
}
