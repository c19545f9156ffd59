package messages_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stoachat/stoa/app/kittest"
)

// BenchmarkMark marks 10,000 and 100,000 unread messages as read: by ID and by narrow (5,000 at a time), by topic, and
// all at once. Each round sends the messages again, and the reader's client asks for the first unread one. The cost per
// message must not increase with the number of messages.
func BenchmarkMark(b *testing.B) {
	for _, many := range []int{10_000, 100_000} {
		for _, how := range []string{"ids", "narrow", "topic", "all"} {
			b.Run(fmt.Sprintf("%s/%d", how, many), func(b *testing.B) {
				s := startStored(b)
				sendToMany(s.Server)
				markAll(s, "all", nil)
				var used time.Duration
				for b.Loop() {
					b.StopTimer()
					first := post(s.Server, "alice", "general", "lunch", "hello")
					s.fill(first, many-1, "recipient_id")
					ids := make([]int64, many)
					for i := range ids {
						ids[i] = first + int64(i)
					}
					list(s.Server, "bob", "anchor", "first_unread", "num_before", "0", "num_after", "1")
					before := cpuTime(b)
					b.StartTimer()
					markAll(s, how, ids)
					used += cpuTime(b) - before
					b.StopTimer()
					if left := list(s.Server, "bob", "anchor", "newest", "num_before", "1", "narrow",
						`[["is","unread"]]`); len(left.Messages) > 0 {
						b.Fatalf("message %d is left", left.Messages[0].ID)
					}
					b.StartTimer()
				}
				b.ReportMetric(b.Elapsed().Seconds()*1e6/float64(b.N)/float64(many), "µs/message")
				b.ReportMetric(used.Seconds()*1e3/float64(b.N), "cpu-ms")
			})
		}
	}
}

func markAll(s *stored, how string, ids []int64) {
	bob := s.As("bob")
	switch how {
	case "ids":
		for part := range slices.Chunk(ids, 5000) {
			bob.Do("POST /messages/flags", "messages", kittest.JSON(part), "op", "add", "flag", "read").OK()
		}
	case "topic":
		bob.Do("POST /mark_topic_as_read", "stream_id", fmt.Sprint(s.ChannelID("general")), "topic_name", "lunch").OK()
	case "all":
		bob.Do("POST /mark_all_as_read").OK()
	case "narrow":
		for anchor := "oldest"; ; {
			a := bob.Do("POST /messages/flags/narrow", "anchor", anchor, "include_anchor", "false", "num_before", "0",
				"num_after", "5000",
				"narrow", `[["is","unread"]]`, "op", "add", "flag", "read").OK()
			switch {
			case a.Get("found_newest") == false:
				anchor = fmt.Sprint(a.Int("last_processed_id"))
			case anchor == "oldest" && a.Int("processed_count") == 0:
				return
			default:
				anchor = "oldest" // the answer contained only the newest 50,000
			}
		}
	}
}
