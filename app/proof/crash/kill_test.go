package crash_test

import (
	"fmt"
	"net/url"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stoachat/stoa/app/kittest/testrun"
	"github.com/stoachat/stoa/app/proof/internal/harness"
)

// poll collects message IDs until it has want of them. Each call acknowledges the earlier ones.
func poll(s *harness.Server, queue string, last int64, want int) (ids []int64, newLast int64) {
	s.T.Helper()
	testrun.Await(s.T, "message", func() bool {
		out := s.Must("GET", "/events", url.Values{"queue_id": {queue}, "last_event_id": {fmt.Sprint(last)}})
		for _, e := range out["events"].([]any) {
			event := e.(map[string]any)
			if id := harness.Int(event["id"]); id <= last {
				s.T.Fatalf("event id %d after %d", id, last)
			} else {
				last = id
			}
			if event["type"] == "message" {
				ids = append(ids, harness.Int(event["message"].(map[string]any)["id"]))
			}
		}
		return len(ids) >= want
	})
	return ids, last
}

// TestQueueSurvivesKill checks that a queue continues after kill -9 and a restart: no event is lost or repeated, and
// event IDs increase.
func TestQueueSurvivesKill(t *testing.T) {
	s := harness.NewServer(t)
	s.Start()
	s.Must("POST", "/users/me/subscriptions", url.Values{"subscriptions": {`[{"name":"proof"}]`}})
	reg := s.Must("POST", "/register", url.Values{"event_types": {`["message"]`}})
	queue, last := reg["queue_id"].(string), harness.Int(reg["last_event_id"])
	var sent, got []int64
	for i := range 5 {
		sent = append(sent, s.Send(fmt.Sprint("before ", i)))
	}
	part, last := poll(s, queue, last, 3) // not acknowledged before the server is killed
	got = append(got, part...)
	for i := range 5 {
		sent = append(sent, s.Send(fmt.Sprint("unseen ", i)))
	}
	s.Kill()
	s.Start()
	for i := range 5 {
		sent = append(sent, s.Send(fmt.Sprint("after ", i)))
	}
	part, _ = poll(s, queue, last, len(sent)-len(got))
	if got = append(got, part...); !slices.Equal(got, sent) {
		t.Errorf("got  %v\nsent %v", got, sent)
	}
}

// TestSendersAcrossKills kills and restarts the server while 64 clients send, retrying with the same local_id until
// there is a response. Every acknowledged message must exist exactly once, and message IDs must increase in log order.
func TestSendersAcrossKills(t *testing.T) {
	const senders, each, kills = 64, 8, 3
	s := harness.NewServer(t)
	s.Start()
	s.Must("POST", "/users/me/subscriptions", url.Values{"subscriptions": {`[{"name":"proof"}]`}})
	reg := s.Must("POST", "/register", url.Values{"event_types": {`["message"]`}})
	queue, last := reg["queue_id"].(string), harness.Int(reg["last_event_id"])

	var mu sync.Mutex
	acked := map[string]int64{}
	done := make(chan struct{})
	var wg sync.WaitGroup
	for c := range senders {
		wg.Go(func() {
			for i := range each {
				content := fmt.Sprintf("%d-%d", c, i)
				params := url.Values{"type": {"stream"}, "to": {`"proof"`}, "topic": {fmt.Sprint("t", c%4)}, "content": {content},
					"queue_id": {queue}, "local_id": {content}}
				for {
					out, err := s.Call("POST", "/messages", params)
					if err == nil && out["result"] == "success" {
						mu.Lock()
						acked[content] = harness.Int(out["id"])
						mu.Unlock()
						break
					}
					if err == nil {
						t.Errorf("%s refused: %v", content, out)
						return
					}
					time.Sleep(20 * time.Millisecond) // while the server is down
				}
			}
		})
	}
	go func() { wg.Wait(); close(done) }()
	for range kills {
		select {
		case <-time.After(700 * time.Millisecond):
			s.Kill()
			s.Start()
		case <-done:
		}
	}
	<-done

	ids, _ := poll(s, queue, last, senders*each)
	if !slices.IsSorted(ids) || len(slices.Compact(slices.Clone(ids))) != senders*each {
		t.Errorf("the queue returned %d messages, not %d in ascending order: %v", len(ids), senders*each, ids)
	}
	stored := map[string]int64{}
	out := s.Must("GET", "/messages", url.Values{"anchor": {"newest"}, "num_before": {"5000"}, "num_after": {"0"},
		"apply_markdown": {"false"}, "narrow": {`[["channel","proof"]]`}})
	for _, m := range out["messages"].([]any) {
		message := m.(map[string]any)
		content, id := message["content"].(string), harness.Int(message["id"])
		if first, twice := stored[content]; twice {
			t.Errorf("%q is stored twice: %d and %d", content, first, id)
		}
		stored[content] = id
	}
	for content, id := range acked {
		if stored[content] != id {
			t.Errorf("%q was acknowledged as %d and is stored as %d", content, id, stored[content])
		}
	}
	if len(acked) != senders*each {
		t.Errorf("%d of %d messages were acknowledged", len(acked), senders*each)
	}
}
