package messages_test

import (
	"fmt"
	"testing"
	"time"
)

// The history of a message with all kinds of changes, under each policy.
func TestHistoryPolicies(t *testing.T) {
	s := startFull(t)
	stage := makeChannel(s, "stage", []string{"olga", "alice", "bob"})
	general := int64(s.ChannelID("general"))
	alice, bob := s.UserID("alice"), s.UserID("bob")
	id := post(s, "alice", "general", "a", "one")
	sent := s.Clock.Now().Unix()
	for _, c := range []struct {
		as     string
		params []string
	}{
		{"alice", []string{"content", "two"}},
		{"alice", []string{"content", "three", "topic", "b"}},
		{"bob", []string{"stream_id", fmt.Sprint(stage), "send_notification_to_new_thread", "false"}},
		{"bob", []string{"topic", "✔ b"}},
		{"alice", []string{"content", "four"}},
	} {
		s.Clock.Advance(time.Second)
		edit(s, c.as, id, c.params...).OK()
	}
	at := func(n int64) int64 { return sent + n }
	text := func(of string) string { return fmt.Sprintf(`"content":%q,"rendered_content":"<p>%s</p>"`, of, of) }
	was := func(of, to string) string {
		return fmt.Sprintf(`"prev_content":%q,"prev_rendered_content":"<p>%[1]s</p>","content_html_diff":"*"`, of) + to
	}
	first := fmt.Sprintf(`{"topic":"a",%s,"timestamp":%d,"user_id":%d}`, text("one"), at(0), alice)
	history := func(rest ...string) string {
		all := `{"result":"success","msg":"","message_history":[`
		for i, r := range rest {
			if i > 0 {
				all += ","
			}
			all += r
		}
		return all + "]}"
	}
	path := fmt.Sprintf("GET /messages/%d/history", id)
	s.As("bob").Do(path).Is(200, history(first,
		fmt.Sprintf(`{"topic":"a",%s,"timestamp":%d,"user_id":%d,%s}`, text("two"), at(1), alice, was("one", "")),
		fmt.Sprintf(`{"topic":"b",%s,"timestamp":%d,"user_id":%d,"prev_topic":"a",%s}`, text("three"), at(2), alice,
			was("two", "")),
		fmt.Sprintf(`{"topic":"b",%s,"timestamp":%d,"user_id":%d,"prev_stream":%d,"stream":%d}`, text("three"), at(3), bob,
			general, stage),
		fmt.Sprintf(`{"topic":"✔ b",%s,"timestamp":%d,"user_id":%d,"prev_topic":"b"}`, text("three"), at(4), bob),
		fmt.Sprintf(`{"topic":"✔ b",%s,"timestamp":%d,"user_id":%d,%s}`, text("four"), at(5), alice, was("three", ""))))
	s.As("guest").Do(path).Error(400, "BAD_REQUEST", "Invalid message(s)") // not subscribed to stage
	object := func() *answered {
		a := s.As("bob").Do(fmt.Sprintf("GET /messages/%d", id)).OK()
		if a.Int("message.last_edit_timestamp") != at(5) || a.Int("message.last_moved_timestamp") != at(3) {
			t.Errorf("edited and moved at %v and %v", a.Get("message.last_edit_timestamp"),
				a.Get("message.last_moved_timestamp"))
		}
		return &answered{a.Has("message.edit_history"), a.Get("message")}
	}
	moves := fmt.Sprintf(`[{"user_id":%[1]d,"timestamp":%[3]d,"prev_topic":"b","topic":"✔ b"},{"user_id":%[1]d,"timestamp":%[4]d,"prev_stream":%[6]d,"stream":%[7]d},
		{"user_id":%[2]d,"timestamp":%[5]d,"prev_topic":"a","topic":"b"}]`, bob, alice, at(4), at(3), at(2), general, stage)
	if o := object(); !o.has || len(o.entries()) != 5 {
		t.Errorf("all: %v", o.entries())
	}
	s.As("olga").Do("PATCH /realm", "message_edit_history_visibility_policy", "moves").OK()
	equal(t, "moves", object().entries(), moves)
	for _, e := range s.As("bob").Do(path).OK().Get("message_history").([]any)[1:] {
		e := e.(map[string]any)
		if _, content := e["prev_content"]; content || e["prev_topic"] == nil && e["prev_stream"] == nil {
			t.Errorf("of moves: %v", e)
		}
	}
	if n := len(s.As("bob").Do(path).OK().Get("message_history").([]any)); n != 4 {
		t.Errorf("%d states of moves, want the first and three", n)
	}
	s.As("olga").Do("PATCH /realm", "message_edit_history_visibility_policy", "none").OK()
	if o := object(); o.has {
		t.Errorf("none: %v", o.entries())
	}
	s.As("bob").Do(path).Error(400, "BAD_REQUEST", "Message edit history is disabled in this organization")
	// A message that was never edited, or whose edits are hidden, has no history field rather than an empty list.
	s.As("olga").Do("PATCH /realm", "message_edit_history_visibility_policy", "moves").OK()
	plain, worded := post(s, "alice", "general", "a", "one"), post(s, "alice", "general", "a", "one")
	edit(s, "alice", worded, "content", "two").OK()
	for _, id := range []int64{plain, worded} {
		if a := s.As("bob").Do(fmt.Sprintf("GET /messages/%d", id)).OK(); a.Has("message.edit_history") {
			t.Errorf("message %d: %v", id, a.Get("message.edit_history"))
		}
	}
}

// answered is a message in a response. has reports whether it has an edit history.
type answered struct {
	has     bool
	message any
}

func (a *answered) entries() []any {
	list, _ := a.message.(map[string]any)["edit_history"].([]any)
	return list
}
