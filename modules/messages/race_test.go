package messages_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
)

// The outcome of two concurrent changes of one message must be the same as if one had followed the other.

// together runs functions concurrently.
func together(all ...func()) {
	var wait sync.WaitGroup
	for _, f := range all {
		wait.Go(f)
	}
	wait.Wait()
}

// oneOf requires one of the outcomes of serial execution.
func oneOf(t *testing.T, what string, a *kittest.Response, want ...string) string {
	t.Helper()
	got := errorText(a)
	if !slices.Contains(want, got) {
		t.Errorf("%s: %q, want one of %q", what, got, want)
	}
	return got
}

const rounds = 6

// Concurrent edits without a previous content all succeed: the history is a chain from the first to the last of them.
func TestConcurrentEditsFormAChain(t *testing.T) {
	s := startFull(t)
	id := post(s, "alice", "general", "x", "before")
	bob := openQueue(s, "bob")
	var all []func()
	for i := range rounds {
		all = append(all, func() { oneOf(t, "an edit", edit(s, "alice", id, "content", fmt.Sprint("after ", i)), done) })
	}
	together(all...)
	var history struct {
		States []struct {
			Content string
			Before  *string `json:"prev_content"`
		} `json:"message_history"`
	}
	s.As("bob").Do(fmt.Sprintf("GET /messages/%d/history", id)).OK().JSON(&history)
	if len(history.States) != rounds+1 {
		t.Fatalf("%d states, want %d", len(history.States), rounds+1)
	}
	for i, state := range history.States[1:] {
		if before := history.States[i].Content; state.Before == nil || *state.Before != before {
			t.Errorf("state %d follows %v, the one before is %q", i+1, state.Before, before)
		}
	}
	last := history.States[rounds].Content
	if got := s.As("bob").Do(fmt.Sprintf("GET /messages/%d", id)).OK().String("raw_content"); got != last {
		t.Errorf("the content is %q, the last edit set %q", got, last)
	}
	events := bob.poll()
	if len(events) != rounds {
		t.Fatalf("bob received %d events, want %d", len(events), rounds)
	}
	for i, e := range events {
		if e["content"] != history.States[i+1].Content && e["content"] != last { // content is loaded at delivery
			t.Errorf("event %d contains %v", i, e["content"])
		}
	}
}

// After a concurrent edit and topic change, the message has both.
func TestEditAndMove(t *testing.T) {
	s := startFull(t)
	for i := range rounds {
		id := post(s, "alice", "general", "x", "before")
		together(
			func() { oneOf(t, "the edit", edit(s, "alice", id, "content", "after"), done) },
			func() {
				oneOf(t, "the move", edit(s, "bob", id, "topic", fmt.Sprint("to ", i), "send_notification_to_new_thread", "false"),
					done)
			},
		)
		a := s.As("olga").Do(fmt.Sprintf("GET /messages/%d", id)).OK()
		if a.String("raw_content") != "after" || a.String("message.subject") != fmt.Sprint("to ", i) ||
			len(a.Get("message.edit_history").([]any)) != 2 {
			t.Errorf("%s", a.Body)
		}
	}
}

// After a concurrent deletion and move, the message is in neither place.
func TestDeleteAndMove(t *testing.T) {
	s := startFull(t)
	general := int64(s.ChannelID("general"))
	side := makeChannel(s, "side", []string{"olga", "alice", "bob"})
	for range rounds {
		id := post(s, "alice", "general", "x", "x")
		together(
			func() { oneOf(t, "the deletion", s.As("alice").Do(fmt.Sprintf("DELETE /messages/%d", id)), done) },
			func() {
				oneOf(t, "the move", edit(s, "olga", id, "stream_id", fmt.Sprint(side), "send_notification_to_new_thread", "false"),
					done, nothing)
			},
		)
		s.As("olga").Do(fmt.Sprintf("GET /messages/%d", id)).Error(400, "BAD_REQUEST", nothing)
	}
	for _, c := range []int64{general, side} {
		if got := topicsOf(s, "olga", c); got != "[]" {
			t.Errorf("channel %d still has %s", c, got)
		}
		if s.As("olga").Do(fmt.Sprintf("GET /streams/%d", c)).OK().Get("stream.first_message_id") != nil {
			t.Errorf("channel %d has a first message", c)
		}
	}
	nothingUnread(t, s, "bob")
}

// A message that is marked as read while it moves to another topic is read, wherever it ends up.
func TestReadAndMove(t *testing.T) {
	s := startFull(t)
	for i := range rounds {
		id := post(s, "alice", "general", "x", "x")
		together(
			func() { oneOf(t, "the mark", mark(s, "bob", "add", "read", id), done) },
			func() {
				oneOf(t, "the move", edit(s, "alice", id, "topic", fmt.Sprint("to ", i), "send_notification_to_new_thread",
					"false"), done)
			},
		)
		if b, o := flags(s, "bob", id), flags(s, "olga", id); b != "read" || o != "" {
			t.Errorf("bob has %q, olga %q", b, o)
		}
	}
	nothingUnread(t, s, "bob")
	if got := unreadOf(s, "olga").Int("unread_msgs.count"); got != rounds {
		t.Errorf("olga has %d unread, want %d", got, rounds)
	}
}

// When a message moves to a place that its reader cannot see, a concurrent change by the reader is kept or does not
// find the message.
func TestChangeWhileLosingAccess(t *testing.T) {
	s := startFull(t)
	rooms := moveRooms(s)
	for name, act := range map[string]func(id int64) *kittest.Response{
		"star":   func(id int64) *kittest.Response { return mark(s, "alice", "add", "starred", id) },
		"read":   func(id int64) *kittest.Response { return mark(s, "alice", "add", "read", id) },
		"unread": func(id int64) *kittest.Response { return mark(s, "alice", "remove", "read", id) },
		"react":  func(id int64) *kittest.Response { return react(s, "alice", id, "emoji_name", "heart") },
		"rename": func(id int64) *kittest.Response {
			return edit(s, "alice", id, "topic", "renamed", "send_notification_to_new_thread", "false")
		},
	} {
		for range rounds / 2 {
			id := post(s, "olga", "public", "t", "x")
			together(
				func() { oneOf(t, name, act(id), done, nothing) },
				func() {
					oneOf(t, "the move", edit(s, "olga", id, "stream_id", fmt.Sprint(rooms["private"]),
						"send_notification_to_new_thread", "false"), done)
				},
			)
			s.As("alice").Do(fmt.Sprintf("GET /messages/%d", id)).Error(400, "BAD_REQUEST", nothing)
			if p := list(s, "alice", "anchor", "newest", "num_before", "50", "narrow", `[["is","starred"]]`); p.ids() != "" {
				t.Errorf("%s: alice has starred %s, which she cannot see", name, p.ids())
			}
			if got := s.As("bob").Do(fmt.Sprintf("GET /messages/%d",
				id)).OK().Int("message.stream_id"); got != rooms["private"] {
				t.Errorf("%s: the message is in %d", name, got)
			}
		}
	}
	nothingUnread(t, s, "alice")
}

// When a topic is deleted while a user writes to it, earlier messages are deleted and later ones are kept.
func TestSendAndDeleteTopic(t *testing.T) {
	s := startFull(t)
	path := fmt.Sprintf("POST /streams/%d/delete_topic", s.ChannelID("general"))
	for range rounds {
		post(s, "alice", "general", "t", "first")
		var sent [4]int64
		var all []func()
		for i := range sent {
			all = append(all, func() {
				a := s.As("bob").Do("POST /messages", "type", "stream", "to", "general", "topic", "t", "content", "x")
				if oneOf(t, "the message", a, done) == done {
					sent[i] = a.Int("id")
				}
			})
		}
		together(append(all, func() { s.As("adam").Do(path, "topic_name", "t").OK() })...)
		slices.Sort(sent[:])
		left := strings.Fields(list(s, "bob", "anchor", "newest", "num_before", "50", "narrow",
			`[["channel","general"],["topic","t"]]`).ids())
		var want []string
		for _, id := range sent[len(sent)-len(left):] {
			want = append(want, fmt.Sprint(id))
		}
		if !slices.Equal(left, want) {
			t.Errorf("%v of %v are left, which are not the newest", left, sent)
		}
		s.As("adam").Do(path, "topic_name", "t").OK()
	}
	nothingUnread(t, s, "olga")
}

// After a concurrent reaction and its removal, there is one reaction or none.
func TestReactAndRemove(t *testing.T) {
	s := startFull(t)
	for range rounds {
		id := post(s, "alice", "general", "x", "x")
		var removed *kittest.Response
		together(
			func() { oneOf(t, "the reaction", react(s, "bob", id, "emoji_name", "heart"), done) },
			func() {
				removed = s.As("bob").Do(fmt.Sprintf("DELETE /messages/%d/reactions", id), "emoji_name", "heart")
			},
		)
		if got, none := reactions(s, "olga", id),
			oneOf(t, "the removal", removed, done, "Reaction doesn't exist.") == done; none != (got == "[]") {
			t.Errorf("removed: %v, and the message has %s", none, got)
		}
	}
}
