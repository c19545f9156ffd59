package messages_test

import (
	"fmt"
	"testing"

	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/modules/accounts"
	"github.com/stoachat/stoa/modules/channels"
	"github.com/stoachat/stoa/modules/events"
	"github.com/stoachat/stoa/modules/groups"
	"github.com/stoachat/stoa/modules/realm"
)

// A message accepts a limited number of different emoji; beyond that, users may still react with the existing ones.
func TestReactionsAreBounded(t *testing.T) {
	s := startStored(t)
	id, other := post(s.Server, "alice", "general", "x", "x"), post(s.Server, "alice", "general", "x", "y")
	s.exec(`INSERT INTO reactions (message_id, user_id, type, code, name, n)
		SELECT ?, 1000000 + i, 'unicode_emoji', 'code' || i, 'name' || i, i FROM `+series(message.MaxEmoji-1), id)
	react(s.Server, "bob", id, "emoji_name", "octopus").OK()
	s.Skip()
	react(s.Server, "bob", id, "emoji_name", "tada").Error(400, "BAD_REQUEST",
		"A message can have reactions with at most 50 different emoji.")
	s.NoEvents()
	react(s.Server, "alice", id, "emoji_name", "octopus").OK()
	react(s.Server, "bob", other, "emoji_name", "tada").OK()
	s.As("bob").Do(fmt.Sprintf("DELETE /messages/%d/reactions", id), "emoji_name", "octopus").OK()
	react(s.Server, "bob", id, "emoji_name", "tada").Error(400, "BAD_REQUEST", "at most 50")
	s.As("alice").Do(fmt.Sprintf("DELETE /messages/%d/reactions", id), "emoji_name", "octopus").OK()
	react(s.Server, "bob", id, "emoji_name", "tada").OK()
}

// One user, with the user's bots, cannot use up the different emoji of a message.
func TestReactionsAreShared(t *testing.T) {
	s := startStored(t)
	id := post(s.Server, "bob", "general", "x", "x")
	names := []string{"octopus", "tada", "heart", "+1", "smile", "cat", "dog", "rocket", "eyes", "fire"}
	for i, name := range names {
		react(s.Server, []string{"alice", "bot"}[i%2], id, "emoji_name", name).OK() // the bot is alice's
	}
	s.Skip()
	for _, who := range []string{"alice", "bot"} {
		react(s.Server, who, id, "emoji_name", "apple").Error(400, "BAD_REQUEST", "at most 10 different emoji")
	}
	s.NoEvents()
	react(s.Server, "alice", id, "emoji_name", "tada").OK() // exists
	react(s.Server, "bob", id, "emoji_name", "apple").OK()
	react(s.Server, "alice", id, "emoji_name", "apple").OK()
}

// The history of a message with very many edits contains the newest edits and the original.
func TestEditsAreBounded(t *testing.T) {
	s := startStored(t)
	id, young := post(s.Server, "alice", "general", "x", "now"), post(s.Server, "alice", "general", "x", "a")
	s.exec(`INSERT INTO message_edits (message_id, n, seq, user_id, at, prev_content, prev_rendered, prev_topic, topic, to_protected)
		SELECT ?, i, i, ?, '2026-01-01 00:00:00', 'v' || i, '<p>v' || i || '</p>', 't' || i, 't' || (i + 1), FALSE FROM `+series(250), id, s.UserID("alice"))
	s.exec("UPDATE messages SET facts = ? WHERE id = ?", message.Changed, id)
	edit(s.Server, "alice", young, "content", "b").OK()
	edit(s.Server, "alice", id, "content", "very new").OK() // the 251st
	var got struct {
		Message struct {
			History []struct {
				PrevContent string `json:"prev_content"`
			} `json:"edit_history"`
		}
		History []struct {
			Topic, Content string
			PrevContent    string `json:"prev_content"`
		} `json:"message_history"`
	}
	s.As("alice").Do(fmt.Sprintf("GET /messages/%d", id)).OK().JSON(&got)
	h := got.Message.History
	if len(h) != message.MaxEdits || h[0].PrevContent != "now" || h[1].PrevContent != "v250" ||
		h[99].PrevContent != "v152" {
		t.Errorf("edit_history has %d entries: %v", len(h), h)
	}
	s.As("alice").Do(fmt.Sprintf("GET /messages/%d/history", id)).OK().JSON(&got)
	all := got.History
	if len(all) != message.MaxEdits+1 || all[0].Content != "v1" || all[0].Topic != "t1" || all[1].PrevContent != "v152" ||
		all[100].Content != "very new" {
		t.Errorf("the history has %d entries, from %+v to %+v", len(all), all[0], all[len(all)-1])
	}
	if got := list(s.Server, "alice", "anchor", "newest", "num_before", "10"); len(got.Messages) < 2 {
		t.Errorf("%d messages", len(got.Messages))
	}
}

// A message at the limit of changes can no longer be edited, but can still be moved within its channel.
func TestChangesAreBounded(t *testing.T) {
	s := startStored(t)
	id := post(s.Server, "alice", "general", "x", "now")
	s.exec(`INSERT INTO message_edits (message_id, n, seq, user_id, at, prev_content, prev_rendered, to_protected)
		SELECT ?, i, i, ?, '2026-01-01 00:00:00', 'v', '<p>v</p>', FALSE FROM `+series(message.MaxChanges-1), id,
		s.UserID("alice"))
	s.exec("UPDATE messages SET facts = ? WHERE id = ?", message.Changed, id)
	edit(s.Server, "alice", id, "content", "last").OK()
	s.Skip()
	edit(s.Server, "alice", id, "content", "once more").
		Error(400, "BAD_REQUEST", "A message can be changed at most 1000 times. Send a new one.")
	s.NoEvents()
	edit(s.Server, "alice", id, "topic", "y").OK()
}

// A message at the limit of moves can no longer leave its channel; its topic can still be changed, and it can be
// deleted.
func TestCrossingsAreBounded(t *testing.T) {
	s := startStored(t, realm.Module, accounts.Module, groups.Module, channels.Module, events.Module)
	side := makeChannel(s.Server, "side", []string{"olga", "alice"})
	id := post(s.Server, "alice", "general", "x", "x")
	move := []string{"stream_id", fmt.Sprint(side), "send_notification_to_new_thread", "false"}
	from, to := message.OfChannel(s.ChannelID("general")), message.OfChannel(s.ChannelID("secret"))
	s.exec(`INSERT INTO message_edits (message_id, n, seq, user_id, at, prev_recipient_id, recipient_id, to_protected)
		SELECT ?, i, i, ?, '2026-01-01 00:00:00', CASE i % 2 WHEN 0 THEN ? ELSE ? END, CASE i % 2 WHEN 0 THEN ? ELSE ? END,
			FALSE FROM `+series(message.MaxChannelMoves),
		id, s.UserID("olga"), to, from, from, to)
	s.exec("UPDATE messages SET facts = ? WHERE id = ?", message.Changed|message.MovedChannel, id)
	s.Skip()
	edit(s.Server, "olga", id, move...).Error(400, "BAD_REQUEST",
		"A message can be moved between channels at most 100 times.")
	s.NoEvents()
	edit(s.Server, "olga", id, "topic", "y").OK()
	s.exec("DELETE FROM message_edits WHERE message_id = ? AND n <= 2", id)
	edit(s.Server, "olga", id, move...).OK()
	s.As("olga").Do(fmt.Sprintf("DELETE /messages/%d", id)).OK()
}
