package messages_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/modules/accounts"
	"github.com/stoachat/stoa/modules/channels"
	"github.com/stoachat/stoa/modules/groups"
	"github.com/stoachat/stoa/modules/messages"
	"github.com/stoachat/stoa/modules/realm"
)

// BenchmarkMove moves a topic of 12,000 messages of 60 words to another topic and back, then to another channel and
// back.
func BenchmarkMove(b *testing.B) {
	const many = 12_000
	for name, to := range map[string][2][]string{
		"topic":   {{"topic", "there"}, {"topic", "here"}},
		"channel": {{"stream_id", "secret"}, {"stream_id", "general"}},
	} {
		b.Run(name, func(b *testing.B) {
			s := startStored(b)
			id := post(s.Server, "olga", "general", "here", strings.Repeat("some words which people write ", 12))
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

// BenchmarkSendsBesideMoves sends messages while a topic of 12,000 messages is renamed repeatedly, once by a user
// without rate limits and once by a user with the default rate limits.
func BenchmarkSendsBesideMoves(b *testing.B) {
	p99 := func(b *testing.B, s *kittest.Server) float64 {
		var took []time.Duration
		for b.Loop() {
			began := time.Now()
			post(s, "alice", "general", "elsewhere", "x")
			took = append(took, time.Since(began))
		}
		slices.Sort(took)
		return took[len(took)*99/100].Seconds() * 1e3
	}
	for _, limits := range []string{"unlimited", "limited"} {
		options := unlimited()
		options.Config += "\nmodules: {accounts: {password_memory_kib: 8, password_passes: 1}}"
		if limits == "limited" {
			options.Config = strings.Replace(options.Config, "enabled: false", "enabled: true, per_user: 1000000", 1)
		}
		server := kittest.StartWith(
			b,
			options,
			realm.Module,
			accounts.Module,
			groups.Module,
			channels.Module,
			messages.Module,
		)
		s := &stored{server, server.App.DB()}
		id := post(server, "olga", "general", "here", strings.Repeat("some words which people write ", 12))
		s.fill(id, 11_999, "recipient_id")
		s.RunJob("messages.search")
		var alone float64
		b.Run(limits+"/alone", func(b *testing.B) {
			alone = p99(b, server)
			b.ReportMetric(alone, "p99-ms")
		})
		b.Run(limits+"/beside", func(b *testing.B) {
			done, ended := make(chan struct{}), make(chan int)
			go func() {
				for n := 0; ; n++ {
					select {
					case <-done:
						ended <- n
						return
					default:
						edit(
							server,
							"olga",
							id,
							"topic",
							fmt.Sprint("t", n),
							"propagate_mode",
							"change_all",
							"send_notification_to_new_thread",
							"false",
						)
					}
				}
			}()
			beside := p99(b, server)
			close(done)
			b.ReportMetric(float64(<-ended), "moves")
			b.ReportMetric(beside, "p99-ms")
			b.ReportMetric(beside-alone, "more-ms")
		})
	}
}

// BenchmarkSearch searches 200,000 messages for a word that occurs in one message in a thousand, and for a word that
// occurs in all of them.
func BenchmarkSearch(b *testing.B) {
	s := startStored(b)
	common := post(
		s.Server,
		"alice",
		"general",
		"lunch",
		"the quick brown fox jumps over the lazy dog, see https://example.com/",
	)
	rare := post(s.Server, "alice", "general", "lunch", "a unicorn and a brown fox")
	for range 10 {
		s.fill(common, history/10-history/10_000, "recipient_id")
		s.fill(rare, history/10_000, "recipient_id")
	}
	s.RunJob("messages.search")
	for name, word := range map[string]string{"rare": "unicorns", "common": "fox", "two words": "quick unicorn fox",
		"prefix": "unic", "nothing": "aardvark"} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				list(
					s.Server,
					"bob",
					"anchor",
					"newest",
					"num_before",
					fmt.Sprint(perPage),
					"narrow",
					fmt.Sprintf(`[["search",%q]]`, word),
				)
			}
			b.ReportMetric(b.Elapsed().Seconds()*1e3/float64(b.N), "ms/search")
		})
	}
}
