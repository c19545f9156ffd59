package crash_test

import (
	"fmt"
	"math/rand/v2"
	"net/url"
	"testing"
	"time"

	"github.com/stoachat/stoa/app/kittest/testrun"
	"github.com/stoachat/stoa/app/proof/internal/harness"
)

// TestScheduledAcrossKills kills the server around the time when scheduled messages are due. Each must be sent exactly
// once and in order.
func TestScheduledAcrossKills(t *testing.T) {
	const each = 40
	kills := 50
	if !testrun.Long() {
		kills = 3
	}
	s := harness.NewServer(t)
	s.Start()
	s.Must("POST", "/users/me/subscriptions", url.Values{"subscriptions": {`[{"name":"proof"}]`}})
	channel := fmt.Sprint(s.Must("GET", "/get_stream_id", url.Values{"stream": {"proof"}})["stream_id"])
	var want []string
	lead := 3 * time.Second
	for k := range kills {
		due := time.Now().Truncate(time.Second).Add(lead)
		schedule := func(content string) bool {
			out, err := s.Call("POST", "/scheduled_messages", url.Values{
				"type": {"channel"}, "to": {channel}, "topic": {"t"}, "content": {content},
				"scheduled_delivery_timestamp": {fmt.Sprint(due.Unix())},
			})
			if err != nil || out["result"] != "success" && out["msg"] != "Scheduled delivery time must be in the future." {
				t.Fatal(out, err)
			}
			return out["result"] == "success"
		}
		for i := range each {
			want = append(want, fmt.Sprintf("%d-%d", k, i))
			for !schedule(want[len(want)-1]) { // the machine is too slow to schedule all of them before they are due
				lead *= 2
				due = time.Now().Truncate(time.Second).Add(lead)
			}
		}
		// Delivery takes a few milliseconds. It starts with the next check, at most 100 ms after the messages are due.
		time.Sleep(time.Until(due.Add(time.Duration(rand.IntN(160)-20) * time.Millisecond)))
		s.Kill()
		s.Start()
		testrun.Await(t, "delivery of all messages", func() bool {
			return len(s.Must("GET", "/scheduled_messages", nil)["scheduled_messages"].([]any)) == 0
		}, s.Log)
	}
	var got []string
	for anchor := "oldest"; ; {
		out := s.Must("GET", "/messages", url.Values{
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
	t.Logf("%d kills: %d messages, each sent once", kills, len(want))
}
