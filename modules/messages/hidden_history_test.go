package messages_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
)

// startWithVault starts a server that has a channel with protected history. olga and alice are subscribed from the
// start; bob subscribes later.
func startWithVault(t *testing.T) (s *kittest.Server, vault, before int64) {
	t.Helper()
	s = startFull(t)
	vault = makeChannel(s, "vault", []string{"olga", "alice"}, "invite_only", "true", "history_public_to_subscribers",
		"false")
	before = post(s, "olga", "vault", "old", "x")
	subscribe(s, "olga", "bob", "vault")
	return s, vault, before
}

func leave(s *kittest.Server, who, channel string) {
	s.T.Helper()
	s.As(who).Do("DELETE /users/me/subscriptions", "subscriptions", fmt.Sprintf("[%q]", channel)).OK()
}

// A move notice reveals neither the old nor the new place of messages that the mover cannot see.
func TestMoveNoticeRevealsNothingHidden(t *testing.T) {
	for _, mode := range []string{"change_one", "change_later", "change_all"} {
		s, _, _ := startWithVault(t)
		post(s, "olga", "vault", "mine", "hidden from neither")
		leave(s, "bob", "vault")
		post(s, "olga", "vault", "secret", "hidden")
		subscribe(s, "olga", "bob", "vault")
		mine := post(s, "bob", "vault", "secret", "x")
		edit(s, "bob", mine, "topic", "old", "propagate_mode", mode).OK()
		got := newestOf(s, "bob", `[["channel","vault"],["topic","old"]]`, false)
		if len(got) != 2 || !strings.HasPrefix(got[1].Content, "This topic was moved here from ") {
			t.Errorf("%s: bob reads %+v", mode, got)
		}
		second := post(s, "bob", "vault", "two", "y")
		post(s, "bob", "vault", "two", "z")
		edit(s, "bob", second, "topic", "old").OK()
		got = newestOf(s, "bob", `[["channel","vault"],["topic","old"]]`, false)
		if last := got[len(got)-1].Content; !strings.HasPrefix(last, "[A message](") {
			t.Errorf("%s: then bob reads %q", mode, last)
		}
	}
}

// In protected history, users do not have messages that were moved in while they were not subscribed, whenever these
// were sent.
func TestTopicsMovedInWhileUnsubscribed(t *testing.T) {
	s, vault, _ := startWithVault(t)
	lunch := post(s, "bob", "vault", "lunch", "x")
	hidden := post(s, "olga", "general", "plans", "x")
	leave(s, "bob", "vault")
	edit(s, "olga", hidden, "stream_id", fmt.Sprint(vault), "topic", "coup", "send_notification_to_new_thread",
		"false").OK()
	subscribe(s, "olga", "bob", "vault")
	s.As("bob").Do(fmt.Sprintf("GET /messages/%d", hidden)).Error(400, "BAD_REQUEST", "Invalid message(s)")
	if got, want := topicsOf(s, "bob", vault), fmt.Sprintf(`[{"max_id":%d,"name":"lunch"}]`, lunch); got != want {
		t.Errorf("bob has the topics %s, want %s", got, want)
	}
	if p := list(s, "bob", "anchor", "newest", "num_before", "10", "narrow",
		`[["channel","vault"]]`); p.ids() != fmt.Sprint(lunch) {
		t.Errorf("and reads %s", p.ids())
	}
	marks := func(topic string) *kittest.Response {
		return s.As("bob").Do("POST /mark_topic_as_read", "stream_id", fmt.Sprint(vault), "topic_name", topic)
	}
	marks("coup").Error(400, "BAD_REQUEST", "No such topic 'coup'")
	shown := post(s, "olga", "general", "plans", "y")
	edit(s, "olga", shown, "stream_id", fmt.Sprint(vault), "topic", "party", "send_notification_to_new_thread",
		"false").OK()
	marks("party").OK()
}

// Naming a truncated topic in full is not a change.
func TestSameLongTopicIsNoChange(t *testing.T) {
	s := startFull(t)
	long := strings.Repeat("long ", 20)
	id := post(s, "alice", "general", long, "x")
	s.Skip()
	for _, mode := range []string{"change_one", "change_all"} {
		edit(s, "alice", id, "topic", long, "propagate_mode", mode).Error(400, "BAD_REQUEST", "Nothing to change")
	}
	s.NoEvents()
	if a := s.As("alice").Do(fmt.Sprintf("GET /messages/%d/history", id)).OK(); a.Has("message_history.1") {
		t.Errorf("an edit without changes was recorded: %v", a.Get("message_history"))
	}
}

// A user who cannot see the edited message, but sees others that moved with it, is notified of the move.
func TestMoveEventWithoutContent(t *testing.T) {
	s, vault, _ := startWithVault(t)
	named := post(s, "alice", "vault", "secret", "first")
	leave(s, "bob", "vault")
	hidden := post(s, "alice", "vault", "secret", "hidden")
	subscribe(s, "olga", "bob", "vault")
	last := post(s, "alice", "vault", "secret", "last")
	queues := map[string]*queue{"alice": openQueue(s, "alice"), "bob": openQueue(s, "bob")}
	edit(s, "alice", hidden, "topic", "open", "content", "now", "propagate_mode", "change_all",
		"send_notification_to_new_thread", "false").OK()
	for who, content := range map[string]any{"alice": "now", "bob": nil} {
		got := queues[who].poll()
		if len(got) != 1 || got[0]["type"] != "update_message" || got[0]["subject"] != "open" ||
			got[0]["content"] != content || got[0]["orig_content"] == "hidden" && who == "bob" {
			t.Errorf("%s received %v", who, got)
		}
	}
	if got, want := topicsOf(s, "bob", vault), fmt.Sprintf(`[{"max_id":%d,"name":"open"}]`, last); got != want {
		t.Errorf("bob has the topics %s, want %s; %d is among them", got, want, named)
	}
}

// When messages are deleted together, each user is notified only of those they received.
func TestDeletionRevealsNothingHidden(t *testing.T) {
	s, vault, before := startWithVault(t)
	during := post(s, "olga", "vault", "old", "x")
	queues := map[string]*queue{"alice": openQueue(s, "alice"), "bob": openQueue(s, "bob")}
	s.As("olga").Do(fmt.Sprintf("POST /streams/%d/delete_topic", vault), "topic_name", "old").Is(200,
		`{"result":"success","msg":"","complete":true}`)
	deletedFor := func(who string) string {
		var all []any
		for _, e := range queues[who].poll() {
			all = append(all, e["message_ids"].([]any)...)
		}
		return kittest.JSON(all)
	}
	if got := deletedFor("bob"); got != fmt.Sprintf("[%d]", during) {
		t.Errorf("bob received %s, want only %d", got, during)
	}
	if got := deletedFor("alice"); got != fmt.Sprintf("[%d,%d]", before, during) &&
		got != fmt.Sprintf("[%d,%d]", during, before) {
		t.Errorf("alice received %s", got)
	}
}

// Message IDs are untrusted input: the highest possible ID is treated like any other missing message.
func TestFlagsOfImpossibleMessages(t *testing.T) {
	s := startFull(t)
	id := post(s, "alice", "general", "x", "x")
	for _, other := range []string{"9223372036854775807", "-9223372036854775808", "0"} {
		flag := func(op, name string) *kittest.Response {
			return s.As("bob").Do("POST /messages/flags", "messages", fmt.Sprintf("[%d,%s]", id, other), "op", op, "flag", name)
		}
		flag("add", "read").OK()
		if got := flags(s, "bob", id); got != "read" {
			t.Errorf("with %s: %q", other, got)
		}
		s.Skip()
		for op, name := range map[string]string{"remove": "read", "add": "starred"} {
			flag(op, name).Error(400, "BAD_REQUEST", "Invalid message(s)")
		}
		s.NoEvents()
		mark(s, "bob", "remove", "read", id).OK()
	}
}

// A user who receives a message moved from a channel that the user cannot see does not receive the channel's name.
func TestMoveDoesNotNameAHiddenChannel(t *testing.T) {
	s := startFull(t)
	id := post(s, "olga", "secret", "t", "x")
	queues := map[string]*queue{"alice": openQueue(s, "alice"), "bob": openQueue(s, "bob")}
	edit(s, "olga", id, "stream_id", fmt.Sprint(s.ChannelID("general")), "send_notification_to_new_thread", "false").OK()
	for who, want := range map[string]any{"alice": "secret", "bob": nil} {
		got := queues[who].poll()
		if len(got) != 1 || got[0]["type"] != "update_message" || got[0]["stream_name"] != want {
			t.Errorf("%s received %v, want the name %v", who, got, want)
		}
	}
}

// Mentions and alert words added by an edit do not give access to messages that a user has not received.
func TestEditOpensNoProtectedHistory(t *testing.T) {
	s, _, before := startWithVault(t)
	during := post(s, "olga", "vault", "old", "x")
	bob := openQueue(s, "bob")
	for _, id := range []int64{before, during} {
		edit(s, "olga", id, "content", "@**Bob** @**topic** pineapple").OK()
	}
	s.As("bob").Do(fmt.Sprintf("GET /messages/%d", before)).Error(400, "BAD_REQUEST", "Invalid message(s)")
	for _, narrow := range []string{`[]`, `[["is","mentioned"]]`, `[["channel","vault"]]`} {
		if p := list(s, "bob", "anchor", "newest", "num_before", "10", "narrow", narrow); p.ids() != fmt.Sprint(during) {
			t.Errorf("bob, %s: %s, want %d", narrow, p.ids(), during)
		}
	}
	if got := bob.of("update_message"); len(got) != 1 {
		t.Errorf("bob received %v", got)
	}
	if got := flags(s, "bob", during); got != "mentioned topic_wildcard_mentioned wildcard_mentioned" &&
		got != "mentioned" {
		t.Errorf("bob's messages: %q", got)
	}
}
