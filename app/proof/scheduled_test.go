package proof_test

import (
	"fmt"
	"math/rand/v2"
	"net/url"
	"testing"
	"time"
)

// TestScheduledAcrossKills kills the server around the time when scheduled messages are due. Each must be sent exactly
// once, in order, and soon after the restart.
func TestScheduledAcrossKills(t *testing.T) {
	const each = 40
	kills := 50
	if testing.Short() {
		kills = 3
	}
	s := newServer(t)
	s.start()
	s.must("POST", "/users/me/subscriptions", url.Values{"subscriptions": {`[{"name":"proof"}]`}})
	channel := fmt.Sprint(s.must("GET", "/get_stream_id", url.Values{"stream": {"proof"}})["stream_id"])
	var want []string
	var longest time.Duration
	for k := range kills {
		due := time.Now().Truncate(time.Second).Add(3 * time.Second)
		for i := range each {
			want = append(want, fmt.Sprintf("%d-%d", k, i))
			s.must("POST", "/scheduled_messages", url.Values{
				"type": {"channel"}, "to": {channel}, "topic": {"t"}, "content": {want[len(want)-1]},
				"scheduled_delivery_timestamp": {fmt.Sprint(due.Unix())},
			})
		}
		// Delivery takes a few milliseconds. It starts with the next check, at most 100 ms after the messages are due.
		time.Sleep(time.Until(due.Add(time.Duration(rand.IntN(160)-20) * time.Millisecond)))
		s.kill()
		s.start()
		back := time.Now()
		for waits := true; waits; {
			left := s.must("GET", "/scheduled_messages", nil)["scheduled_messages"].([]any)
			waits = len(left) > 0
			if time.Since(back) > 2*time.Minute {
				t.Fatalf("kill %d: %d messages are pending: %v", k, len(left), left[0])
			}
		}
		longest = max(longest, time.Since(back))
	}
	var got []string
	for anchor := "oldest"; ; {
		out := s.must("GET", "/messages", url.Values{
			"anchor": {anchor}, "num_before": {"0"}, "num_after": {"1000"}, "include_anchor": {"false"},
			"apply_markdown": {"false"},
			"narrow":         {`[["channel","proof"],["topic","t"]]`},
		})
		for _, m := range out["messages"].([]any) {
			got = append(got, m.(map[string]any)["content"].(string))
			anchor = fmt.Sprint(m.(map[string]any)["id"])
		}
		if out["found_newest"] == true {
			break
		}
	}
	for i := range max(len(got), len(want)) {
		if i >= len(got) || i >= len(want) || got[i] != want[i] {
			t.Fatalf("%d messages were sent, want %d; they differ at %d", len(got), len(want), i)
		}
	}
	t.Logf("%d kills: %d messages, each sent once, all at most %v after the restart", kills, len(want), longest)
}
