package messages_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
)

// changes returns the pending events: the content and flags of a message, and the content shown by a change.
func (q *queue) changes() string {
	q.s.T.Helper()
	var all []string
	for _, e := range q.poll() {
		line := strings.TrimSuffix(e["type"].(string), "_message")
		if m, ok := e["message"].(map[string]any); ok {
			line += fmt.Sprintf(" %v %v", m["display_recipient"], m["content"])
		}
		for _, key := range []string{"orig_content", "content"} {
			if text, ok := e[key]; ok {
				line += fmt.Sprintf(" %v", text)
			}
		}
		if flags, ok := e["flags"]; ok {
			line += kittest.JSON(flags)
		}
		all = append(all, line)
	}
	return strings.Join(all, ", ")
}

// Messages that were moved to another channel before delivery reach users who can read them there (in protected history
// only those who have them), in whichever order they were moved and edited.
func TestEventsOfMoved(t *testing.T) {
	s := startFull(t)
	const hidden, all = "false", "true"
	rooms := map[string]int64{}
	for name, who := range map[string][]string{
		"protected": {"olga", "bob", "alice", "guest"}, "other protected": {"olga", "bob", "mona"},
		"shared": {"olga", "bob", "alice", "guest"}, "other shared": {"olga", "bob", "mona"},
	} {
		history := hidden
		if strings.HasSuffix(name, "shared") {
			history = all
		}
		rooms[name] = makeChannel(s, name, who, "invite_only", "true", "history_public_to_subscribers", history)
	}
	subscription := func(method, who, channel string) {
		s.As("olga").Do(method+" /users/me/subscriptions", "principals", ids(s, who), "subscriptions", map[string]string{
			"POST": fmt.Sprintf(`[{"name":%q}]`, channel), "DELETE": fmt.Sprintf("[%q]", channel),
		}[method], "send_new_subscription_messages", "false").OK()
	}
	move := func(id int64, to string, more ...string) {
		edit(s, "olga", id, append([]string{"stream_id", fmt.Sprint(rooms[to]),
			"send_notification_to_new_thread", "false", "send_notification_to_old_thread", "false"}, more...)...).OK()
	}
	rewrite := func(id int64) { edit(s, "olga", id, "content", "new").OK() }
	none := func(int64) {}
	for _, c := range []struct {
		name, from, to string
		before, after  func(id int64) // the move
		want           map[string]string
	}{
		{"protected to protected", "protected", "other protected", none, none, map[string]string{
			"bob": "message other protected old[], update[]", "alice": "delete", "guest": "delete", "mona": `update["read"]`,
			"adam": ""}},
		{"protected to shared", "protected", "other shared", none, none, map[string]string{
			"bob": "message other shared old[], update[]", "alice": "delete", "guest": "message other shared old[], delete",
			"mona": `update["read"]`, "adam": ""}},
		{"shared to protected", "shared", "other protected", none, none, map[string]string{
			"bob": "message other protected old[], update[]", "alice": "delete", "guest": "delete", "mona": `update["read"]`,
			"adam": ""}},
		{"edited, then moved", "protected", "other protected", rewrite, none, map[string]string{
			"bob": "message other protected new[], update old new[], update[]", "alice": "delete", "guest": "delete",
			"mona": `update["read"]`, "adam": ""}},
		{"moved, then edited", "protected", "other protected", none, rewrite, map[string]string{
			"bob": "message other protected new[], update[], update old new[]", "alice": "delete", "guest": "delete",
			"mona": `update["read"], update old new["read"]`, "adam": ""}},
		{"reacted to, then moved", "protected", "other protected",
			func(id int64) { react(s, "bob", id, "emoji_name", "heart").OK() }, none, map[string]string{
				"bob": "message other protected old[], reaction, update[]", "alice": "delete", "guest": "delete",
				"mona": `update["read"]`, "adam": ""}},
		{"moved on", "protected", "other shared", none, func(id int64) { move(id, "other protected") }, map[string]string{
			"bob": "message other protected old[], update[], update[]", "alice": "delete", "guest": "delete, delete",
			"mona": `update["read"], update["read"]`, "adam": ""}},
		{"moved back", "protected", "other protected", none, func(id int64) { move(id, "protected") }, map[string]string{
			"bob": "message protected old[], update[], update[]", "alice": `message protected old[], delete, update["read"]`,
			"guest": "message protected old[], delete", "mona": "delete", "adam": ""}},
	} {
		queues := map[string]*queue{}
		for who := range c.want {
			queues[who] = openQueue(s, who)
		}
		id := post(s, "olga", c.from, c.name, "old")
		c.before(id)
		move(id, c.to)
		subscription("POST", "guest", c.to) // too late to have it with protected history
		c.after(id)
		for who, want := range c.want {
			if got := queues[who].changes(); got != want {
				t.Errorf("%s: %s received %q, want %q", c.name, who, got, want)
			}
		}
		subscription("DELETE", "guest", c.to)
	}
}
