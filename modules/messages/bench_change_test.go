package messages_test

import (
	"fmt"
	"testing"
)

// BenchmarkMove moves a topic of 5,000 messages: to another topic and back, and to another channel and back.
func BenchmarkMove(b *testing.B) {
	const many = 5000
	for name, to := range map[string][2][]string{
		"topic":   {{"topic", "there"}, {"topic", "here"}},
		"channel": {{"stream_id", "secret"}, {"stream_id", "general"}},
	} {
		b.Run(name, func(b *testing.B) {
			s := startStored(b)
			id := post(s.Server, "olga", "general", "here", "x")
			s.fill(id, many-1, "recipient_id")
			s.RunJob("messages.search")
			i := 0
			for b.Loop() {
				params := append([]string{"propagate_mode", "change_all", "send_notification_to_new_thread", "false"}, to[i%2]...)
				if last := len(params) - 1; name == "channel" {
					params[last] = fmt.Sprint(s.ChannelID(params[last]))
				}
				edit(s.Server, "olga", id, params...).OK()
				i++
			}
			b.ReportMetric(b.Elapsed().Seconds()*1e6/float64(b.N)/many, "µs/message")
		})
	}
}

// BenchmarkSearch looks for a word that one message in a thousand has, and for one that all have, among 200,000.
func BenchmarkSearch(b *testing.B) {
	s := startStored(b)
	common := post(s.Server, "alice", "general", "lunch", "the quick brown fox jumps over the lazy dog, see https://example.com/")
	rare := post(s.Server, "alice", "general", "lunch", "a unicorn and a brown fox")
	for range 10 {
		s.fill(common, history/10-history/10_000, "recipient_id")
		s.fill(rare, history/10_000, "recipient_id")
	}
	s.RunJob("messages.search")
	for name, word := range map[string]string{"rare": "unicorns", "common": "fox", "two words": "quick unicorn fox", "prefix": "unic", "nothing": "aardvark"} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				list(s.Server, "bob", "anchor", "newest", "num_before", fmt.Sprint(perPage), "narrow", fmt.Sprintf(`[["search",%q]]`, word))
			}
			b.ReportMetric(b.Elapsed().Seconds()*1e3/float64(b.N), "ms/search")
		})
	}
}
