package messages_test

import (
	"fmt"
	"strings"
	"testing"
)

// Users are notified of messages that were moved to a channel that they have lost access to before delivery, because
// their clients would keep the messages otherwise. The event contains neither the new topic nor content. Users who
// never had the messages are not notified.
func TestEventsOfMovedToClosedChannel(t *testing.T) {
	s := startFull(t)
	general := int64(s.ChannelID("general"))
	old := `{"notification_settings_null":true}`
	for i, c := range []struct {
		name string
		move []string
		then func(id int64)
		ids  func(first, second int64) string
	}{
		{"one", []string{"propagate_mode", "change_one"}, nil, nil},
		{"to another topic", []string{"propagate_mode", "change_one", "topic", "hidden"}, nil, nil},
		{"edited since", []string{"propagate_mode", "change_one"},
			func(id int64) { edit(s, "olga", id, "content", "hidden").OK() }, nil},
		{"two", []string{"propagate_mode", "change_all"}, nil,
			func(a, b int64) string { return fmt.Sprintf("[%d,%d]", a, b) }},
		{"deleted since", []string{"propagate_mode", "change_one", "topic", "hidden"}, func(id int64) {
			s.As("olga").Do(fmt.Sprintf("DELETE /messages/%d", id)).OK()
		}, nil},
		{"renamed since", []string{"propagate_mode", "change_one", "topic", "hidden"}, func(id int64) {
			edit(s, "olga", id, "topic", "hidden too").OK()
		}, nil},
	} {
		name, topic := fmt.Sprint("open ", i), fmt.Sprint("topic ", i)
		open := makeChannel(s, name, []string{"olga", "mona"})
		first, second := post(s, "olga", "general", topic, "hi @**Bob**"), post(s, "olga", "general", topic, "more")
		queues := map[string]*queue{"bob": openQueue(s, "bob"), "older": openQueue(s, "bob", "client_capabilities", old),
			"mona": openQueue(s, "mona")}
		edit(s, "olga", first, append([]string{"stream_id", fmt.Sprint(open),
			"send_notification_to_new_thread", "false", "send_notification_to_old_thread", "false"}, c.move...)...).OK()
		now := s.Clock.Now().Unix()
		s.As("mona").Do("DELETE /users/me/subscriptions", "subscriptions", fmt.Sprintf("[%q]", name)).OK()
		s.As("olga").Do(fmt.Sprintf("PATCH /streams/%d", open), "is_private", "true").OK()
		if c.then != nil {
			c.then(first)
		}
		moved := fmt.Sprintf("[%d]", first)
		if c.ids != nil {
			moved = c.ids(first, second)
		}
		want := fmt.Sprintf(`[{"type":"update_message","user_id":%d,"rendering_only":false,"message_id":%d,"message_ids":%s,"flags":["read"],
			"edit_timestamp":%d,"stream_id":%d,"stream_name":"general","new_stream_id":%d,"propagate_mode":%q,"orig_subject":%q}]`,
			s.UserID("olga"), first, moved, now, general, open, c.move[1], topic)
		equal(t, c.name+": bob", queues["bob"].poll(), want)
		equal(t, c.name+": bob's older client", queues["older"].poll(), want)
		equal(t, c.name+": mona", queues["mona"].poll(), `[]`)
		unread := section(s, "bob", "unread_msgs", unreadTypes)
		if strings.Contains(unread, fmt.Sprintf(`"unread_message_ids":[%d]`, second)) == (c.ids != nil) ||
			!strings.Contains(unread, `"mentions":[]`) {
			t.Errorf("%s: bob has unread: %s", c.name, unread)
		}
		mark(s, "bob", "add", "read", second).OK()
	}

	// Users who have lost access to the old channel as well do not receive its topic.
	den, open := makeChannel(s, "den", []string{"olga", "bob"}, "invite_only", "true"),
		makeChannel(s, "open", []string{"olga"})
	id := post(s, "olga", "den", "hidden", "hi")
	bob := openQueue(s, "bob")
	edit(s, "olga", id, "stream_id", fmt.Sprint(open), "send_notification_to_old_thread", "false").OK()
	now := s.Clock.Now().Unix()
	leave(s, "bob", "den")
	s.As("olga").Do(fmt.Sprintf("PATCH /streams/%d", open), "is_private", "true").OK()
	equal(t, "both lost", bob.poll(),
		fmt.Sprintf(`[{"type":"update_message","user_id":%d,"rendering_only":false,"message_id":%d,"message_ids":[%[2]d],
		"flags":["read"],"edit_timestamp":%d,"stream_id":%d,"new_stream_id":%d,"propagate_mode":"change_one","orig_subject":""}]`,
			s.UserID("olga"), id, now, den, open))

	// The rename is delivered before the deletion, because clients look for a message where they last saw it.
	id = post(s, "olga", "general", "one", "hi")
	bob = openQueue(s, "bob")
	edit(s, "olga", id, "topic", "two", "send_notification_to_new_thread", "false").OK()
	edit(s, "olga", id, "stream_id", fmt.Sprint(den), "send_notification_to_old_thread", "false").OK()
	equal(t, "renamed, then moved", bob.poll(),
		fmt.Sprintf(`[{"type":"update_message","user_id":%d,"rendering_only":false,"message_id":%d,
		"message_ids":[%[2]d],"flags":["read"],"edit_timestamp":%d,"stream_id":%d,"stream_name":"general","propagate_mode":"change_one","orig_subject":"one",
		"subject":"two","topic_links":[]},{"type":"delete_message","message_type":"stream","stream_id":%[4]d,"topic":"two","message_ids":[%[2]d]}]`,
			s.UserID("olga"), id, now, general))
}
