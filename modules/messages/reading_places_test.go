package messages_test

import (
	"fmt"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
)

func TestMarkAllAsRead(t *testing.T) {
	s := startWithQueues(t)
	a, b := post(s, "alice", "general", "x", "hi"), sendDirect(s, "alice", "psst", "bob")
	// One message is unread through a flag.
	old := post(s, "alice", "general", "old", "hi")
	s.As("bob").Do("DELETE /users/me/subscriptions", "subscriptions", `["general"]`).OK()
	s.As("bob").Do("POST /users/me/subscriptions", "subscriptions", `[{"name":"general"}]`).OK()
	mark(s, "bob", "remove", "read", old).OK()
	s.Skip()
	s.As("bob").Do("POST /mark_all_as_read").Is(200, `{"result":"success","msg":"","complete":true}`)
	s.Events(`update_message_flags/add user:bob {"operation":"add","flag":"read","messages":[],"all":true}`)
	for _, id := range []int64{a, b, old} {
		if got := flags(s, "bob", id); got != "read" {
			t.Errorf("message %d: flags %q", id, got)
		}
	}
	if got := flags(s, "olga", a); got != "" {
		t.Errorf("olga's flags are %q", got)
	}
	next := post(s, "alice", "general", "x", "hi")
	if got := flags(s, "bob", next); got != "" {
		t.Errorf("a later message has flags %q", got)
	}
}

func TestMarkPlacesAsRead(t *testing.T) {
	s := startWithQueues(t)
	general := fmt.Sprint(s.ChannelID("general"))
	one, two, three := post(s, "alice", "general", "One", "hi"), post(s, "alice", "general", "two", "hi"),
		post(s, "alice", "general", "ONE", "hi")
	empty, direct := post(s, "alice", "general", "", "hi"), sendDirect(s, "alice", "psst", "bob")
	s.Skip()
	bob := s.As("bob")
	bob.Do("POST /mark_topic_as_read", "stream_id", general, "topic_name", "one").Is(200, `{"result":"success","msg":""}`)
	s.Events(fmt.Sprintf(`update_message_flags/add user:bob {"operation":"add","flag":"read","messages":[%d,%d],`+
		`"all":false}`, one, three))
	bob.Do("POST /mark_topic_as_read", "stream_id", general, "topic_name", "one").OK()
	s.NoEvents()
	bob.Do("POST /mark_topic_as_read", "stream_id", general, "topic_name", "general chat").OK()
	s.Events(fmt.Sprintf(`update_message_flags/add user:bob {"operation":"add","flag":"read","messages":[%d],"all":false}`,
		empty))
	bob.Do("POST /mark_stream_as_read", "stream_id", general).Is(200, `{"result":"success","msg":""}`)
	s.Events(fmt.Sprintf(`update_message_flags/add user:bob {"operation":"add","flag":"read","messages":[%d],"all":false}`,
		two))
	bob.Do("POST /mark_stream_as_read", "stream_id", general).OK()
	s.NoEvents()
	if got := flags(s, "bob", direct); got != "" {
		t.Errorf("a direct message has flags %q", got)
	}
	// The same below the floor: unread again, then read by place.
	mark(s, "bob", "remove", "read", one, two).OK()
	s.Skip()
	bob.Do("POST /mark_stream_as_read", "stream_id", general).OK()
	s.Events(fmt.Sprintf(`update_message_flags/add user:bob {"operation":"add","flag":"read","messages":[%d,%d],`+
		`"all":false}`, one, two))
}

func TestMarkPlacesBadInput(t *testing.T) {
	s := startWithQueues(t)
	post(s, "alice", "general", "x", "hi")
	post(s, "alice", "secret", "x", "hi")
	general, secret := fmt.Sprint(s.ChannelID("general")), fmt.Sprint(s.ChannelID("secret"))
	s.Skip()
	bob := s.As("bob")
	for _, id := range []string{secret, "99999", "0", "-1"} {
		bob.Do("POST /mark_stream_as_read", "stream_id", id).Error(400, "BAD_REQUEST", "Invalid channel ID")
		bob.Do("POST /mark_topic_as_read", "stream_id", id, "topic_name", "x").Error(400, "BAD_REQUEST", "Invalid channel ID")
	}
	bob.Do("POST /mark_topic_as_read", "stream_id", general, "topic_name", "y").Error(400, "BAD_REQUEST",
		"No such topic 'y'")
	// mona may read the topic, but has none of its messages.
	s.As("mona").Do("POST /mark_topic_as_read", "stream_id", general, "topic_name", "x").Error(400, "BAD_REQUEST",
		"No such topic 'x'")
	bob.Do("POST /mark_topic_as_read", "stream_id", general).Error(400, "REQUEST_VARIABLE_MISSING", "topic_name")
	bob.Do("POST /mark_stream_as_read").Error(400, "REQUEST_VARIABLE_MISSING", "stream_id")
	s.NoEvents()
}

func TestUnsubscribeReads(t *testing.T) {
	s := startWithQueues(t)
	in, direct := post(s, "alice", "general", "x", "hi"), sendDirect(s, "alice", "psst", "bob")
	old := post(s, "alice", "general", "y", "hi")
	mark(s, "bob", "add", "read", old).OK()
	mark(s, "bob", "add", "starred", in).OK()
	s.Skip()
	s.As("bob").Do("DELETE /users/me/subscriptions", "subscriptions", `["general"]`).OK()
	var payloads []string
	for _, e := range s.Log() {
		if e.Type == "update_message_flags" {
			payloads = append(payloads, string(e.Payload))
		}
	}
	want := fmt.Sprintf(`[{"operation":"add","flag":"read","messages":[%d],"all":false}]`, in)
	if got := fmt.Sprint(payloads); got != want {
		t.Errorf("received %s, want %s", got, want)
	}
	if got := flags(s, "bob", in); got != "read starred" {
		t.Errorf("flags %q", got)
	}
	if got := flags(s, "bob", direct); got != "" {
		t.Errorf("flags of a direct message %q", got)
	}
	missed := post(s, "alice", "general", "x", "hi")
	s.As("bob").Do("POST /users/me/subscriptions", "subscriptions", `[{"name":"general"}]`).OK()
	next := post(s, "alice", "general", "x", "hi")
	for id, want := range map[int64]string{in: "read starred", old: "read", missed: "historical read", next: ""} {
		if got := flags(s, "bob", id); got != want {
			t.Errorf("message %d: flags %q, want %q", id, got, want)
		}
	}
}

// Setting a flag on many messages is one intent, and marks of several users share a transaction without affecting each
// other.
func TestMarksTogether(t *testing.T) {
	s := startWithQueues(t)
	var ids []int64
	for range 30 {
		ids = append(ids, post(s, "alice", "general", "x", "hi"))
	}
	done := make(chan *kittest.Response)
	people := []string{"bob", "olga", "guest", "bot"}
	for i, who := range people {
		for j := i; j < len(ids); j += len(people) {
			go func() {
				done <- s.As(who).Do("POST /messages/flags", "messages", kittest.JSON(ids[j:j+1]), "op", "add", "flag", "read")
			}()
		}
	}
	for range ids {
		if a := <-done; a.Status != 200 {
			t.Errorf("%d %s", a.Status, a.Body)
		}
	}
	for i, who := range people {
		for j, id := range ids {
			want := ""
			if j%len(people) == i {
				want = "read"
			}
			if got := flags(s, who, id); got != want {
				t.Errorf("%s, message %d: flags %q, want %q", who, id, got, want)
			}
		}
	}
}
