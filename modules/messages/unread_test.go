package messages_test

import (
	"fmt"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
)

func unreadOf(s *kittest.Server, as string) *kittest.Response {
	s.T.Helper()
	return s.As(as).Do("POST /register", "event_types", unreadTypes, "fetch_event_types", unreadTypes,
		"client_capabilities", modern).OK()
}

func nothingUnread(t *testing.T, s *kittest.Server, as string) {
	t.Helper()
	same(t, kittest.JSON(unreadOf(s, as).Get("unread_msgs")),
		`{"count":0,"pms":[],"streams":[],"huddles":[],"mentions":[],"old_unreads_missing":false}`)
}

func setMuted(s *kittest.Server, as string, channel int64, muted bool) {
	s.T.Helper()
	s.As(as).Do("POST /users/me/subscriptions/properties", "subscription_data",
		fmt.Sprintf(`[{"stream_id":%d,"property":"is_muted","value":%v}]`, channel, muted)).OK()
}

// Unread messages in a muted channel: which are listed, and which count.
func TestUnreadOfMuted(t *testing.T) {
	s := startFull(t)
	general, side := int64(s.ChannelID("general")), makeChannel(s, "side", []string{"olga", "bob"})
	loud, named := post(s, "olga", "general", "b", "@**all**"), post(s, "olga", "general", "a", "@**Bob**")
	own := post(s, "bob", "side", "t", "x")
	topic := post(s, "olga", "side", "t", "@**topic**")
	direct := sendDirect(s, "olga", "@**all**", "bob")
	mark(s, "bob", "add", "read", own).OK()
	streams := fmt.Sprintf(`[{"stream_id":%d,"topic":"a","unread_message_ids":[%d]},{"stream_id":%d,"topic":"b","unread_message_ids":[%d]},
		{"stream_id":%d,"topic":"t","unread_message_ids":[%d]}]`, general, named, general, loud, side, topic)
	check := func(count int, mentions ...int64) {
		t.Helper()
		a := unreadOf(s, "bob")
		same(t, kittest.JSON(a.Get("unread_msgs.streams")), streams) // regardless of muting
		same(t, kittest.JSON(a.Get("unread_msgs.mentions")), kittest.JSON(mentions))
		if got := a.Int("unread_msgs.count"); got != int64(count) {
			t.Errorf("count %d, want %d", got, count)
		}
	}
	check(4, loud, named, topic, direct)
	setMuted(s, "bob", general, true)
	check(2, named, topic, direct)
	setMuted(s, "bob", side, true)
	check(1, named, direct)
	setMuted(s, "bob", general, false)
	check(3, loud, named, direct)
	s.Restart()
	check(3, loud, named, direct)
}

// This test checks which operations mark messages as read.
func TestUnreadAfterChanges(t *testing.T) {
	s := startFull(t)
	side := makeChannel(s, "side", []string{"olga", "alice", "bob"})
	vault := makeChannel(s, "vault", []string{"olga", "alice"}, "invite_only", "true", "history_public_to_subscribers",
		"true")
	streams := func(as string) string {
		t.Helper()
		return kittest.JSON(unreadOf(s, as).Get("unread_msgs.streams"))
	}
	topics := func(pairs ...any) string {
		var out []map[string]any
		for i := 0; i < len(pairs); i += 3 {
			out = append(out, map[string]any{"stream_id": pairs[i], "topic": pairs[i+1], "unread_message_ids": pairs[i+2]})
		}
		return kittest.JSON(out)
	}
	one, two := post(s, "olga", "side", "x", "1"), post(s, "olga", "side", "x", "2")
	same(t, streams("bob"), topics(side, "x", []int64{one, two}))
	own := post(s, "bob", "side", "x", "mine") // replying does not mark earlier messages as read
	same(t, streams("bob"), topics(side, "x", []int64{one, two, own}))
	mark(s, "bob", "add", "read", own).OK()
	edit(s, "olga", two, "topic", "y", "send_notification_to_new_thread", "false").OK()
	same(t, streams("bob"), topics(side, "x", []int64{one}, side, "y", []int64{two}))
	// A mention does not make a message unread, and the event has the current flags.
	edit(s, "olga", one, "content", "@**Bob**").OK()
	same(t, kittest.JSON(unreadOf(s, "bob").Get("unread_msgs.mentions")), kittest.JSON([]int64{one}))
	edit(s, "olga", two, "stream_id", fmt.Sprint(vault), "send_notification_to_new_thread", "false").OK()
	same(t, streams("bob"), topics(side, "x", []int64{one})) // bob can no longer see the other one
	same(t, streams("alice"), topics(side, "x", []int64{one, own}, vault, "y", []int64{two}))
	s.As("olga").Do(fmt.Sprintf("DELETE /messages/%d", one)).OK()
	nothingUnread(t, s, "bob")
	three := post(s, "olga", "side", "x", "3")
	s.As("bob").Do("DELETE /users/me/subscriptions", "subscriptions", `["side"]`).OK()
	nothingUnread(t, s, "bob")
	subscribe(s, "olga", "bob", "side")
	nothingUnread(t, s, "bob") // leaving marks as read
	if got := flags(s, "bob", three); got != "read" {
		t.Errorf("after resubscribing: %q", got)
	}
	four, direct := post(s, "olga", "side", "x", "4"), sendDirect(s, "olga", "x", "bob", "alice")
	kept := post(s, "alice", "side", "x", "5")
	s.As("bob").Do(fmt.Sprintf("POST /users/me/muted_users/%d", s.UserID("olga"))).OK()
	same(t, streams("bob"), topics(side, "x", []int64{kept}))
	if got := flags(s, "bob", four) + flags(s, "bob", direct); got != "readread" {
		t.Errorf("from a muted user: %q", got)
	}
	s.As("olga").Do(fmt.Sprintf("DELETE /streams/%d", side)).OK()
	if got := unreadOf(s, "bob").Get("unread_msgs.huddles").([]any); len(got) != 0 {
		t.Errorf("group conversations: %v", got)
	}
}

// Unread direct messages are grouped by participants, in order.
func TestUnreadDirect(t *testing.T) {
	s := startFull(t)
	alice, bob, olga, adam := s.UserID("alice"), s.UserID("bob"), s.UserID("olga"), s.UserID("adam")
	fromAdam, fromOlga := sendDirect(s, "adam", "x", "bob"), sendDirect(s, "olga", "x", "bob")
	mine, self := sendDirect(s, "bob", "x", "alice"), sendDirect(s, "bob", "x", "bob")
	four, three := sendDirect(s, "adam", "x", "bob", "olga", "alice"), sendDirect(s, "alice", "x", "bob", "olga")
	again := sendDirect(s, "olga", "x", "bob")
	var huddles string
	for i, h := range []struct {
		people string
		id     int64
	}{{fmt.Sprintf("%d,%d,%d", alice, bob, olga), three}, {fmt.Sprintf("%d,%d,%d,%d", alice, bob, olga, adam), four}} {
		if i > 0 {
			huddles += ","
		}
		huddles += fmt.Sprintf(`{"user_ids_string":%q,"unread_message_ids":[%d]}`, h.people, h.id)
	}
	same(t, kittest.JSON(unreadOf(s, "bob").Get("unread_msgs")),
		fmt.Sprintf(`{"count":7,"streams":[],"mentions":[],"old_unreads_missing":false,"huddles":[%s],
		"pms":[{"other_user_id":%[2]d,"sender_id":%[2]d,"unread_message_ids":[%[3]d]},{"other_user_id":%[4]d,"sender_id":%[4]d,"unread_message_ids":[%[5]d]},
			{"other_user_id":%[6]d,"sender_id":%[6]d,"unread_message_ids":[%[7]d,%[8]d]},{"other_user_id":%[9]d,"sender_id":%[9]d,"unread_message_ids":[%[10]d]}]}`,
			huddles, alice, mine, bob, self, olga, fromOlga, again, adam, fromAdam))
	nothingUnread(t, s, "mona")
	s.As("bob").Do("POST /mark_all_as_read").Is(200, `{"result":"success","msg":"","complete":true}`)
	nothingUnread(t, s, "bob")
	if got := unreadOf(s, "alice").Int("unread_msgs.count"); got != 3 {
		t.Errorf("alice has %d unread, want 3", got)
	}
}
