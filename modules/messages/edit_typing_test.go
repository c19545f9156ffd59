package messages_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/modules/accounts"
	"github.com/stoachat/stoa/modules/channels"
	"github.com/stoachat/stoa/modules/events"
	"github.com/stoachat/stoa/modules/groups"
	"github.com/stoachat/stoa/modules/messages"
	"github.com/stoachat/stoa/modules/realm"
)

func TestEditTyping(t *testing.T) {
	s := kittest.Start(t, realm.Module, accounts.Module, groups.Module, channels.Module, messages.Module, events.Module)
	general, alice, bob := s.ChannelID("general"), s.UserID("alice"), s.UserID("bob")
	said := s.As("bob").Do("POST /messages", "type", "channel", "to", fmt.Sprint(general), "topic", "", "content",
		"x").OK().Int("id")
	direct := s.As("bob").Do("POST /messages", "type", "direct", "to", fmt.Sprintf("[%d]", alice), "content",
		"x").OK().Int("id")
	queue := s.As("alice").Do("POST /register", "event_types", `["typing_edit_message"]`, "fetch_event_types",
		"[]").OK().String("queue_id")
	last := "-1"
	receives := func(want string) {
		t.Helper()
		a := s.As("alice").Do("GET /events", "queue_id", queue, "last_event_id", last, "dont_block", "true").OK()
		all := a.Get("events").([]any)
		for _, e := range all {
			last = fmt.Sprint(e.(map[string]any)["id"])
			delete(e.(map[string]any), "id")
		}
		if got := kittest.JSON(all); got != "["+want+"]" {
			t.Errorf("alice receives %s\nwant [%s]", got, want)
		}
	}
	typing := func(who string, id int64, op string) *kittest.Response {
		return s.As(who).Do(fmt.Sprintf("POST /messages/%d/typing", id), "op", op)
	}
	typing("bob", said, "start").Is(200, `{"result":"success","msg":""}`)
	receives(fmt.Sprintf(`{"message_id":%d,"op":"start","recipient":{"channel_id":%d,"topic":"general chat",`+
		`"type":"channel"},"sender_id":%d,"type":"typing_edit_message"}`,
		said, general, bob))
	typing("bob", direct, "stop").OK()
	receives(fmt.Sprintf(`{"message_id":%d,"op":"stop","recipient":{"type":"direct","user_ids":[%d,%d]},"sender_id":%d,`+
		`"type":"typing_edit_message"}`,
		direct, alice, bob, bob))

	s.Skip()
	typing("bob", said, "pause").Error(400, "BAD_REQUEST", "Invalid op")
	typing("alice", said, "start").Error(400, "BAD_REQUEST", "You don't have permission to edit this message")
	typing("olga", direct, "start").Error(400, "BAD_REQUEST", "Invalid message(s)")
	typing("bob", 987654321, "start").Error(400, "BAD_REQUEST", "Invalid message(s)")
	s.As("bob").Do("PATCH /settings", "send_private_typing_notifications", "false", "send_stream_typing_notifications",
		"false").OK()
	s.Skip()
	typing("bob", said, "start").Error(400, "BAD_REQUEST", "User has disabled typing notifications for channel messages")
	typing("bob", direct, "start").Error(400, "BAD_REQUEST", "User has disabled typing notifications for direct messages")
	s.NoEvents()
	s.As("bob").Do("PATCH /settings", "send_private_typing_notifications", "true", "send_stream_typing_notifications",
		"true").OK()

	// Typing notices that are expired, unwanted or about a deleted message are not delivered.
	typing("bob", said, "start").OK()
	s.Clock.Advance(time.Minute)
	receives("")
	typing("bob", said, "start").OK()
	s.As("olga").Do(fmt.Sprintf("DELETE /messages/%d", said)).OK()
	receives("")
	s.As("alice").Do("PATCH /settings", "receives_typing_notifications", "false").OK()
	typing("bob", direct, "start").OK()
	receives("")
	s.Clock.Advance(time.Hour)
	s.Skip()
	typing("bob", direct, "start").Error(400, "BAD_REQUEST", "The time limit for editing this message has passed")
	s.NoEvents()
}

func TestSummary(t *testing.T) {
	s := kittest.Start(t, realm.Module, accounts.Module, groups.Module, channels.Module, messages.Module)
	s.As("bob").Do("GET /messages/summary", "narrow", `[["channel","general"]]`).Error(400, "BAD_REQUEST",
		"AI features are not enabled on this server.")
	s.As("bob").Do("GET /messages/summary", "narrow", `[5]`).Error(400, "BAD_REQUEST", "Invalid narrow[0]")
}
