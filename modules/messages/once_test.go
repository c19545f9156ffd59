package messages_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/modules/messages"
)

func TestRepeatedSends(t *testing.T) {
	s := kittest.Start(t, messages.Module)
	send := func(as, content, queue, local string) int64 {
		t.Helper()
		return s.As(as).Do("POST /messages", "type", "stream", "to", "general", "topic", "x", "content", content, "queue_id",
			queue, "local_id", local).
			OK().Int("id")
	}
	first := send("alice", "a", "q", "1")
	if again := send("alice", "a", "q", "1"); again != first {
		t.Errorf("a repeat created %d", again)
	}
	s.Events("message subscribers:general")
	ids := map[int64]string{first: "the first"}
	for name, id := range map[string]int64{
		"another user": send("bob", "a", "q", "1"), "another queue": send("alice", "a", "r", "1"),
		"another local id": send("alice", "a", "q", "2"),
		"no queue":         send("alice", "a", "", "1"), "no queue, repeated": send("alice", "a", "", "1"),
	} {
		if had := ids[id]; had != "" {
			t.Errorf("%s got the id of %s", name, had)
		}
		ids[id] = name
	}
	other := send("alice", "b", "q", "1") // clients reuse local IDs
	if other == first || send("alice", "b", "q", "1") != other {
		t.Errorf("another text with the same local id: %d", other)
	}
	s.Skip()
	s.Clock.Advance(25 * time.Hour)
	s.RunJob("messages.send keys")
	if later := send("alice", "b", "q", "1"); later == other {
		t.Error("a local id is remembered for more than a day")
	}
	s.Events("message subscribers:general")
}

func TestIdempotencyKey(t *testing.T) {
	s := kittest.Start(t, messages.Module)
	send := func(as, content string) *kittest.Response {
		t.Helper()
		req := s.As(as).Request("POST /messages", strings.NewReader("type=stream&to=general&topic=x&content="+content))
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		req.Header.Set("Idempotency-Key", "k")
		return ask(t, s, req)
	}
	first := send("alice", "a").OK().Int("id")
	if again := send("alice", "a").OK().Int("id"); again != first {
		t.Errorf("a repeat created %d", again)
	}
	if other := send("bob", "b").OK().Int("id"); other == first {
		t.Error("local ids are shared between users")
	}
	s.Skip()
	send("alice", "b").Error(400, "BAD_REQUEST", "Idempotency-Key")
	s.NoEvents()
}

func ask(t *testing.T, s *kittest.Server, req *http.Request) *kittest.Response {
	t.Helper()
	res, err := s.Client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var body json.RawMessage
	if err := json.NewDecoder(res.Body).Decode(&body); err != nil {
		t.Fatal(err)
	}
	return &kittest.Response{T: t, Call: "POST /messages", Status: res.StatusCode, Header: res.Header, Body: string(body)}
}

// TestManySenders sends from 64 clients concurrently, each message twice with the same local ID. Acknowledged messages
// exist once, and their IDs increase in log order.
func TestManySenders(t *testing.T) {
	s := kittest.StartWith(t, unlimited(), messages.Module)
	const senders, each = 64, 5
	names := []string{"alice", "bob", "olga", "adam"}
	var mu sync.Mutex
	acknowledged := map[int64]string{}
	var wait sync.WaitGroup
	for n := range senders {
		wait.Go(func() {
			for i := range each {
				text := fmt.Sprintf("%d.%d", n, i)
				params := []string{"type", "stream", "to", "general", "topic", "x", "content", text, "queue_id", fmt.Sprint(n),
					"local_id", fmt.Sprint(i)}
				if i%2 == 1 {
					params = []string{"type", "direct", "to", "[1,2,3]", "content", text, "queue_id", fmt.Sprint(n), "local_id",
						fmt.Sprint(i)}
				}
				for range 2 {
					id, err := tryPost(s, names[n%len(names)], params)
					mu.Lock()
					switch had, ok := acknowledged[id]; {
					case err != nil:
						t.Errorf("%s: %v", text, err)
					case ok && had != text:
						t.Errorf("%s and %s have the id %d", had, text, id)
					}
					acknowledged[id] = text
					mu.Unlock()
				}
			}
		})
	}
	wait.Wait()
	if len(acknowledged) != senders*each {
		t.Errorf("%d messages, want %d", len(acknowledged), senders*each)
	}
	var last int64
	for _, e := range s.Log() {
		if e.Type != "message" {
			continue
		}
		if e.Ref <= last {
			t.Errorf("message %d follows %d in the log", e.Ref, last)
		}
		last = e.Ref
		if acknowledged[e.Ref] == "" {
			t.Errorf("message %d was logged but not acknowledged", e.Ref)
		}
		delete(acknowledged, e.Ref)
	}
	if len(acknowledged) != 0 {
		t.Errorf("acknowledged but not logged: %v", acknowledged)
	}
}

// tryPost is post for goroutines: it returns an error instead of failing the test.
func tryPost(s *kittest.Server, as string, params []string) (int64, error) {
	form := make([]string, 0, len(params)/2)
	for i := 0; i < len(params); i += 2 {
		form = append(form, params[i]+"="+params[i+1])
	}
	req := s.As(as).Request("POST /messages", strings.NewReader(strings.Join(form, "&")))
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	res, err := s.Client.Do(req)
	if err != nil {
		return 0, err
	}
	defer res.Body.Close()
	var body struct {
		ID  int64  `json:"id"`
		Msg string `json:"msg"`
	}
	if err := json.NewDecoder(res.Body).Decode(&body); err != nil {
		return 0, err
	}
	if res.StatusCode != http.StatusOK {
		return 0, fmt.Errorf("status %d: %s", res.StatusCode, body.Msg)
	}
	return body.ID, nil
}
