package messages_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stoachat/stoa/app/kittest"
)

// modern lists all capabilities.
const modern = `{"notification_settings_null":true,"bulk_message_deletion":true,"empty_topic_name":true}`

// openQueue opens a queue for message events.
func openQueue(s *kittest.Server, as string, params ...string) *queue {
	s.T.Helper()
	if len(params) == 0 {
		params = []string{"client_capabilities", modern}
	}
	return &queue{s.As(as).Register(append([]string{
		"event_types", `["update_message","delete_message","reaction","message"]`, "fetch_event_types", "[]",
	}, params...)...), s}
}

// of returns the pending events of one type, each as JSON.
func (q *queue) of(kind string) []string {
	q.s.T.Helper()
	out := []string{}
	for _, e := range q.poll() {
		if e["type"] == kind {
			b, _ := json.Marshal(e)
			out = append(out, string(b))
		}
	}
	return out
}

func edit(s *kittest.Server, as string, id int64, params ...string) *kittest.Response {
	s.T.Helper()
	return s.As(as).Do(fmt.Sprintf("PATCH /messages/%d", id), params...)
}

func hashed(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// sameJSON compares events regardless of field order.
func sameJSON(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: %d events %v, want %d", what, len(got), got, len(want))
		return
	}
	for i := range got {
		var a, b any
		if json.Unmarshal([]byte(got[i]), &a) != nil || json.Unmarshal([]byte(want[i]), &b) != nil {
			t.Fatalf("%s: %s or %s is not JSON", what, got[i], want[i])
		}
		if x, y := kittest.JSON(a), kittest.JSON(b); x != y {
			t.Errorf("%s:\n got %s\nwant %s", what, x, y)
		}
	}
}

func TestEditContent(t *testing.T) {
	s := startFull(t)
	id := post(s, "alice", "general", "x", "hi @**Bob**")
	sent := s.Clock.Now().Unix()
	alice, bob, adam := openQueue(s, "alice"), openQueue(s, "bob"), openQueue(s, "adam") // adam is not subscribed
	s.Clock.Advance(time.Minute)
	edit(s, "alice", id, "content", "\nhello @**Gus Guest** \n", "prev_content_sha256", hashed("hi @**Bob**")).
		Is(200, `{"result":"success","msg":"","detached_uploads":[]}`)
	now := s.Clock.Now().Unix()
	event := func(flags string) string {
		return fmt.Sprintf(`{"type":"update_message","user_id":%d,"rendering_only":false,"message_id":%d,"message_ids":[%d],"edit_timestamp":%d,
			"stream_id":%d,"stream_name":"general","orig_content":"hi @**Bob**","orig_rendered_content":%q,"content":"hello @**Gus Guest**",
			"rendered_content":%q,"is_me_message":false,"flags":%s}`, s.UserID("alice"), id, id, now, s.ChannelID("general"),
			fmt.Sprintf(`<p>hi <span class="user-mention" data-user-id="%d">@Bob</span></p>`, s.UserID("bob")),
			fmt.Sprintf(`<p>hello <span class="user-mention" data-user-id="%d">@Gus Guest</span></p>`, s.UserID("guest")), flags)
	}
	sameJSON(t, "alice", alice.of("update_message"), event(`[]`))
	sameJSON(t, "bob", bob.of("update_message"), event(`[]`))
	sameJSON(t, "adam", adam.of("update_message"))
	if got := flags(s, "bob", id) + "/" + flags(s, "guest", id); got != "/mentioned" {
		t.Errorf("flags after the edit: %s", got)
	}
	m := s.As("bob").Do(fmt.Sprintf("GET /messages/%d", id)).OK()
	if m.Int("message.last_edit_timestamp") != now || m.Has("message.last_moved_timestamp") ||
		m.Int("message.timestamp") != sent {
		t.Errorf("times: %v", m.Get("message"))
	}
	equal(t, "edit_history", m.Get("message.edit_history"),
		fmt.Sprintf(`[{"user_id":%d,"timestamp":%d,"prev_content":"hi @**Bob**",
		"prev_rendered_content":"<p>hi <span class=\"user-mention\" data-user-id=\"%d\">@Bob</span></p>"}]`,
			s.UserID("alice"), now, s.UserID("bob")))
	edit(s, "alice", id, "content", " \n").OK()
	if got := s.As("bob").Do(fmt.Sprintf("GET /messages/%d", id)).OK().String("raw_content"); got != "(deleted)" {
		t.Errorf("emptied: %q", got)
	}
}

func TestEditRefused(t *testing.T) {
	s := startFull(t)
	general := fmt.Sprint(s.ChannelID("general"))
	makeChannel(s, "den", []string{"olga"}, "invite_only", "true", "history_public_to_subscribers", "true")
	den := s.As("olga").Do("GET /get_stream_id", "stream", "den").OK().Int("stream_id")
	makeChannel(s, "stage", []string{"olga", "alice"})
	stage := s.As("olga").Do("GET /get_stream_id", "stream", "stage").OK().Int("stream_id")
	s.As("olga").Do(fmt.Sprintf("PATCH /streams/%d", stage), "can_send_message_group", `{"new":2}`).OK()
	named := makeChannel(s, "named", []string{"olga", "alice"}, "topics_policy", "disable_empty_topic")
	old := post(s, "alice", "general", "lunch", "x")
	direct := sendDirect(s, "alice", "x", "bob")
	s.Clock.Advance(10*time.Minute + 21*time.Second)
	id := post(s, "alice", "general", "lunch", "x")
	set := func(name, value string) { t.Helper(); s.As("olga").Do("PATCH /realm", name, value).OK() }
	for _, c := range []struct {
		name, as  string
		id        int64
		params    []string
		code, msg string
	}{
		{"another's content", "bob", id, []string{"content", "y"}, "", "You don't have permission to edit this message"},
		{"another's content, by an owner", "olga", id, []string{"content", "y"}, "",
			"You don't have permission to edit this message"},
		{"too late", "alice", old, []string{"content", "y"}, "", "The time limit for editing this message has passed"},
		{"nothing", "alice", id, nil, "", "Nothing to change"},
		{"the same topic", "alice", id, []string{"topic", " lunch "}, "", "Nothing to change"},
		{"the same channel", "alice", id, []string{"stream_id", general}, "", "Nothing to change"},
		{"direct to a channel", "alice", direct, []string{"stream_id", general}, "",
			"Direct messages cannot be moved to channels."},
		{"a topic of a direct message", "alice", direct, []string{"topic", "y"}, "", "Direct messages cannot have topics."},
		{"mode without a move", "alice", id, []string{"content", "y", "propagate_mode", "change_all"}, "",
			"Invalid propagate_mode without topic edit"},
		{"unknown mode", "alice", id, []string{"topic", "y", "propagate_mode", "change_some"}, "", "Invalid propagate_mode"},
		{"resolving the empty topic", "alice", id, []string{"topic", "✔ "}, "", "General chat cannot be marked as resolved"},
		{"resolving it by its name", "alice", id, []string{"topic", "✔ general chat"}, "",
			"General chat cannot be marked as resolved"},
		{"bad characters", "alice", id, []string{"topic", "a\nb"}, "", "Invalid character in topic, at position 2!"},
		{"content and channel", "alice", id, []string{"content", "y", "stream_id", fmt.Sprint(stage)}, "",
			"Cannot change message content while changing channel"},
		{"another previous content", "alice", id, []string{"content", "y", "prev_content_sha256", hashed("z")},
			"EXPECTATION_MISMATCH",
			"'prev_content_sha256' value does not match the expected value."},
		{"nul", "alice", id, []string{"content", "a\x00b"}, "", "Message must not contain null bytes"},
		{"to a hidden channel", "alice", id, []string{"stream_id", fmt.Sprint(den)}, "", "Invalid channel ID"},
		{"to no channel", "alice", id, []string{"stream_id", "99999"}, "", "Invalid channel ID"},
		{"where one may not post", "alice", id, []string{"stream_id", fmt.Sprint(stage)}, "",
			"You do not have permission to post in this channel."},
		{"to an empty topic that may not be", "alice", id, []string{"stream_id", fmt.Sprint(named), "topic", ""}, "",
			"Sending messages to the general chat is not allowed in this channel."},
		{"two names for one thing", "alice", id, []string{"topic", "a", "subject", "b"}, "REQUEST_CONFUSING_VAR",
			"Can't decide between 'topic' and 'subject' arguments"},
		{"no such message", "alice", 1 << 40, []string{"topic", "a"}, "", "Invalid message(s)"},
	} {
		s.Skip()
		code := c.code
		if code == "" {
			code = "BAD_REQUEST"
		}
		edit(s.In(t), c.as, c.id, c.params...).Error(400, code, c.msg)
		s.NoEvents()
	}
	for _, c := range []struct {
		name, setting, value, as string
		params                   []string
		msg                      string
	}{
		{"editing is off", "allow_message_editing", "false", "alice", []string{"content", "y"},
			"Your organization has turned off message editing"},
		{"no topics", "can_move_messages_between_topics_group", `{"new":2}`, "alice", []string{"topic", "y"},
			"You don't have permission to edit this message"},
		{"no resolving", "can_resolve_topics_group", `{"new":2}`, "alice", []string{"topic", "✔ lunch"},
			"You don't have permission to resolve topics in this channel."},
		{"no channels", "can_move_messages_between_channels_group", `{"new":2}`, "alice",
			[]string{"stream_id", fmt.Sprint(named)}, "You don't have permission to move this message"},
	} {
		set(c.setting, c.value)
		s.Skip()
		edit(s.In(t), c.as, id, c.params...).Error(400, "BAD_REQUEST", c.msg)
		s.NoEvents()
	}
	// Edits succeed within the grace period, and for moderators without a limit.
	set("allow_message_editing", "true")
	set("move_messages_within_stream_limit_seconds", "60")
	set("can_move_messages_between_topics_group", `{"new":7}`)
	s.Clock.Advance(81 * time.Second)
	edit(s, "bob", id, "topic", "supper").Error(400, "MOVE_MESSAGES_TIME_LIMIT_EXCEEDED",
		"The time limit for editing this message's topic has passed.")
	edit(s, "mona", id, "topic", "supper").OK()
	fresh := post(s, "alice", "general", "lunch", "x")
	s.Clock.Advance(80 * time.Second)
	edit(s, "bob", fresh, "topic", "supper").OK()
}

func TestHistory(t *testing.T) {
	s := startFull(t)
	id := post(s, "alice", "general", "a", "one two")
	sent := s.Clock.Now().Unix()
	s.Clock.Advance(time.Second)
	edit(s, "alice", id, "content", "one **three**", "topic", "b").OK()
	s.Clock.Advance(time.Second)
	edit(s, "bob", id, "topic", "").OK()
	alice, bob := s.UserID("alice"), s.UserID("bob")
	path := fmt.Sprintf("GET /messages/%d/history", id)
	s.As("bob").Do(path, "allow_empty_topic_name", "true").Is(200,
		fmt.Sprintf(`{"result":"success","msg":"","message_history":[
		{"topic":"a","content":"one two","rendered_content":"<p>one two</p>","timestamp":%d,"user_id":%d},
		{"topic":"b","content":"one **three**","rendered_content":"<p>one <strong>three</strong></p>","timestamp":%d,"user_id":%d,"prev_topic":"a",
			"prev_content":"one two","prev_rendered_content":"<p>one two</p>",
			"content_html_diff":"<p>one <span class=\"highlight_text_deleted\">two</span><strong><span class=\"highlight_text_inserted\">three</span></strong></p>"},
		{"topic":"","content":"one **three**","rendered_content":"<p>one <strong>three</strong></p>","timestamp":%d,"user_id":%d,"prev_topic":"b"}]}`,
			sent, alice, sent+1, alice, sent+2, bob))
	if got := s.As("bob").Do(path).OK().String("message_history.2.topic"); got != "general chat" {
		t.Errorf("the empty topic for a legacy client: %q", got)
	}
	object := func() *kittest.Response {
		return s.As("bob").Do(fmt.Sprintf("GET /messages/%d", id), "allow_empty_topic_name", "true").OK()
	}
	equal(t, "edit_history", object().Get("message.edit_history"),
		fmt.Sprintf(`[{"user_id":%d,"timestamp":%d,"prev_topic":"b","topic":""},
		{"user_id":%d,"timestamp":%d,"prev_topic":"a","topic":"b","prev_content":"one two","prev_rendered_content":"<p>one two</p>"}]`, bob, sent+2, alice, sent+1))
	s.As("olga").Do("PATCH /realm", "message_edit_history_visibility_policy", "moves").OK()
	equal(t, "edit_history of moves", object().Get("message.edit_history"),
		fmt.Sprintf(`[{"user_id":%d,"timestamp":%d,"prev_topic":"b","topic":""},
		{"user_id":%d,"timestamp":%d,"prev_topic":"a","topic":"b"}]`, bob, sent+2, alice, sent+1))
	if got := kittest.JSON(s.As("bob").Do(path).OK().Get("message_history")); strings.Contains(got, "two") {
		t.Errorf("contents are included: %s", got)
	}
	s.As("olga").Do("PATCH /realm", "message_edit_history_visibility_policy", "none").OK()
	s.As("bob").Do(path).Error(400, "BAD_REQUEST", "Message edit history is disabled in this organization")
	if o := object(); o.Has("message.edit_history") || o.Int("message.last_edit_timestamp") != sent+1 ||
		o.Int("message.last_moved_timestamp") != sent+2 {
		t.Errorf("without history: %v", o.Get("message"))
	}
}

// Of two concurrent edits with the same previous content, one is refused.
func TestEditRace(t *testing.T) {
	s := startFull(t)
	id := post(s, "alice", "general", "x", "before")
	var all sync.WaitGroup
	answers := make([]*kittest.Response, 6)
	for i := range answers {
		all.Go(func() {
			answers[i] = edit(s, "alice", id, "content", fmt.Sprint("after ", i), "prev_content_sha256", hashed("before"))
		})
	}
	all.Wait()
	won := 0
	for _, a := range answers {
		if errorText(a) == "" {
			won++
		} else {
			a.Error(400, "EXPECTATION_MISMATCH", "'prev_content_sha256' value does not match the expected value.")
		}
	}
	if n := len(s.As("bob").Do(fmt.Sprintf("GET /messages/%d/history",
		id)).OK().Get("message_history").([]any)); won != 1 || n != 2 {
		t.Errorf("%d edits succeeded, %d states are stored", won, n)
	}
}

// Concurrent edit and deletion: the edit may succeed first or be refused, and the message is deleted in either case.
func TestEditAndDelete(t *testing.T) {
	s := startFull(t)
	for range 5 {
		id := post(s, "alice", "general", "x", "before")
		var edited, deleted *kittest.Response
		var all sync.WaitGroup
		all.Go(func() { edited = edit(s, "alice", id, "content", "after") })
		all.Go(func() { deleted = s.As("alice").Do(fmt.Sprintf("DELETE /messages/%d", id)) })
		all.Wait()
		deleted.OK()
		if got := errorText(edited); got != "" && got != "Invalid message(s)" {
			t.Errorf("the edit: %s", got)
		}
		s.As("bob").Do(fmt.Sprintf("GET /messages/%d", id)).Error(400, "BAD_REQUEST", "Invalid message(s)")
	}
}
