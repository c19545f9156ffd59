package messages_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/modules/widgets"
)

// A queue with narrowed_changes receives the messages of its channel and all their changes without a subscription, as
// long as its user can read the channel's history.
func TestFollowedChannel(t *testing.T) {
	s := startFull(t, widgets.Module)
	other := makeChannel(s, "other", []string{"olga", "bob"})
	vault := makeChannel(s, "vault", []string{"olga", "bob"},
		"invite_only", "true", "history_public_to_subscribers", "true")
	makeChannel(s, "club", []string{"olga"}, "invite_only", "true", "history_public_to_subscribers", "true",
		"can_subscribe_group", fmt.Sprintf(`{"direct_members":%s,"direct_subgroups":[]}`, ids(s, "mona")))
	follow := func(who, channel string, capabilities ...string) *queue {
		return &queue{s.As(who).Register(
			"event_types", `["message","update_message","delete_message","reaction","submessage"]`, "fetch_event_types", "[]",
			"narrow", fmt.Sprintf(`[["channel",%q]]`, channel), "client_capabilities",
			strings.Replace(modern, "{", "{"+strings.Join(capabilities, ""), 1),
		), s}
	}
	const capable = `"narrowed_changes":true,`
	queues := map[string]*queue{
		"member": follow("mona", "general", capable), "in other": follow("mona", "other", capable),
		"in vault": follow("mona", "vault", capable), "in club": follow("mona", "club", capable),
		"incapable": follow("mona", "general"),
		"guest":     follow("guest", "other", capable), "reads vault": follow("bob", "general", capable),
	}
	s.As("olga").Do("DELETE /users/me/subscriptions", "subscriptions", `["general"]`, "principals",
		ids(s, "mona", "bob", "guest")).OK()
	subscribe(s, "olga", "adam", "other") // gains access by a move
	s.As("olga").Do("DELETE /users/me/subscriptions", "subscriptions", `["other"]`, "principals", ids(s, "bob")).OK()
	silent := []string{"send_notification_to_new_thread", "false", "send_notification_to_old_thread", "false"}
	var id, poll int64
	for _, c := range []struct {
		name string
		act  func()
		want map[string]string // types by queue; queues not listed receive nothing
	}{
		{"a message", func() { id = post(s, "alice", "general", "x", "a") },
			map[string]string{"member": "message", "reads vault": "message", "incapable": "message"}},
		{"a reaction", func() { react(s, "alice", id, "emoji_name", "heart").OK() },
			map[string]string{"member": "reaction", "reads vault": "reaction"}},
		{"an edit", func() { edit(s, "alice", id, "content", "b").OK() },
			map[string]string{"member": "update_message", "reads vault": "update_message"}},
		{"a new topic", func() { edit(s, "alice", id, append(silent, "topic", "y")...).OK() },
			map[string]string{"member": "update_message", "reads vault": "update_message"}},
		{"a poll", func() { poll = post(s, "alice", "general", "x", "/poll Where?\nhere") }, map[string]string{
			"member": "message", "reads vault": "message", "incapable": "message"}},
		{"a vote", func() {
			s.As("alice").Do("POST /submessage", "message_id", fmt.Sprint(poll), "msg_type", "widget", "content",
				`{"type":"vote","key":"canned,0","vote":1}`).OK()
		}, map[string]string{"member": "submessage", "reads vault": "submessage"}},
		{"a deletion", func() { s.As("olga").Do(fmt.Sprintf("DELETE /messages/%d", poll)).OK() },
			map[string]string{"member": "delete_message", "reads vault": "delete_message"}},
		{"a move to a public channel", func() { edit(s, "olga", id, append(silent, "stream_id", fmt.Sprint(other))...).OK() },
			map[string]string{"member": "update_message", "in other": "update_message", "reads vault": "update_message"}},
		{"a move to a private channel", func() {
			edit(s, "olga", id, append(silent, "stream_id", fmt.Sprint(vault))...).OK()
		}, map[string]string{"in other": "delete_message", "reads vault": "update_message"}},
		{"a message in a private channel", func() { id = post(s, "olga", "club", "x", "c") },
			map[string]string{"in club": "message"}},
		{"its move to another one", func() { edit(s, "olga", id, append(silent, "stream_id", fmt.Sprint(vault))...).OK() },
			map[string]string{"in club": "delete_message", "reads vault": "update_message"}},
		{"a change there", func() { react(s, "olga", id, "emoji_name", "tada").OK() },
			map[string]string{"reads vault": "reaction"}},
	} {
		c.act()
		for name, q := range queues {
			var types []string
			for _, e := range q.poll() {
				types = append(types, e["type"].(string))
			}
			kittest.Equal(t, c.name+": "+name, strings.Join(types, " "), c.want[name])
		}
	}
}
