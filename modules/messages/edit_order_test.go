package messages_test

import (
	"fmt"
	"testing"
	"time"
)

// If an edit has several errors, the first check decides which one is reported.
func TestEditOrder(t *testing.T) {
	s := startFull(t)
	makeChannel(s, "stage", []string{"olga", "alice"})
	stage := s.As("olga").Do("GET /get_stream_id", "stream", "stage").OK().Int("stream_id")
	named := fmt.Sprint(makeChannel(s, "named", []string{"olga", "alice"}, "topics_policy", "disable_empty_topic"))
	hidden := fmt.Sprint(makeChannel(s, "den", []string{"olga"}, "invite_only", "true"))
	s.As("olga").Do(fmt.Sprintf("PATCH /streams/%d", stage), "can_send_message_group", onlyUsers(s, "olga")).OK()
	s.As("olga").Do("POST /user_groups/create", "name", "board", "description", "", "members", ids(s, "adam"),
		"can_mention_group",
		fmt.Sprintf(`{"direct_members":%s,"direct_subgroups":[]}`, ids(s, "olga"))).OK()
	old, direct := post(s, "alice", "general", "lunch", "x"), sendDirect(s, "alice", "x", "bob")
	s.Clock.Advance(8 * 24 * time.Hour)
	id, note := post(s, "alice", "general", "lunch", "x"), sendDirect(s, "alice", "x", "bob")
	const (
		off, notYours = "Your organization has turned off message editing", "You don't have permission to edit this message"
		late          = "The time limit for editing this message has passed"
		lateTopic     = "The time limit for editing this message's topic has passed."
		lateChannel   = "The time limit for editing this message's channel has passed"
		board         = "You are not allowed to mention user group 'board'."
		mismatch      = "'prev_content_sha256' value does not match the expected value."
		withChannel   = "Cannot change message content while changing channel"
	)
	set := func(name, value string) { t.Helper(); s.As("olga").Do("PATCH /realm", name, value).OK() }
	stageID, wrong := fmt.Sprint(stage), hashed("z")
	for _, c := range []struct {
		name, setting, value string
		as                   string
		id                   int64
		params               []string
		code, msg            string
	}{
		{"off, another's", "allow_message_editing", "false", "bob", id, []string{"content", "y"}, "", off},
		{"off, with a topic", "allow_message_editing", "false", "alice", id, []string{"content", "y", "topic", "z"}, "", off},
		{"another's, too late", "allow_message_editing", "true", "bob", old, []string{"content", "y"}, "", notYours},
		{"too late, with a channel", "", "", "alice", old, []string{"content", "y", "stream_id", stageID}, "", late},
		{"too late, direct, with a topic", "", "", "alice", direct, []string{"content", "y", "topic", "t"}, "", late},
		{"direct, both", "", "", "alice", note, []string{"topic", "t", "stream_id", stageID}, "",
			"Direct messages cannot be moved to channels."},
		{"direct, a mode", "", "", "alice", note, []string{"propagate_mode", "change_all", "topic", "t"}, "",
			"Direct messages cannot have topics."},
		{"a mode, another text", "", "", "alice", id,
			[]string{"content", "y", "propagate_mode", "change_later", "prev_content_sha256", wrong}, "",
			"Invalid propagate_mode without topic edit"},
		{"resolving nothing, with a channel", "", "", "alice", id,
			[]string{"topic", "✔", "content", "y", "stream_id", stageID}, "",
			"General chat cannot be marked as resolved"},
		{"bad characters, with a channel", "", "", "alice", id,
			[]string{"topic", "a\x01", "content", "y", "stream_id", stageID}, "",
			"Invalid character in topic, at position 2!"},
		{"a channel, another text", "", "", "alice", id, []string{"content", "y", "stream_id", stageID, "prev_content_sha256",
			wrong}, "", withChannel},
		{"the same channel", "", "", "alice", id, []string{"content", "y", "stream_id", fmt.Sprint(s.ChannelID("general"))},
			"", withChannel},
		{"no such channel", "", "", "alice", id, []string{"stream_id", "0", "topic", "z"}, "", "Invalid channel ID"},
		{"another text, a topic", "", "", "alice", id, []string{"topic", "z", "prev_content_sha256", wrong},
			"EXPECTATION_MISMATCH", mismatch},
		{"a channel that is hidden", "", "", "alice", id, []string{"content", "y", "stream_id", hidden}, "", withChannel},
		{"another text, a group", "", "", "alice", id, []string{"content", "@*board*", "prev_content_sha256", wrong},
			"EXPECTATION_MISMATCH", mismatch},
		{"another text, no topics", "can_move_messages_between_topics_group", onlyUsers(s, "olga"), "alice", id,
			[]string{"content", "y", "topic", "z", "prev_content_sha256", wrong}, "EXPECTATION_MISMATCH", mismatch},
		{"no topics, a group", "", "", "alice", id, []string{"content", "@*board*", "topic", "z"}, "", notYours},
		{"no topics, too late", "", "", "alice", old, []string{"topic", "z"}, "", notYours},
		{"the empty topic, no topics", "", "", "alice", id, []string{"stream_id", named, "topic", ""}, "",
			"Sending messages to the general chat is not allowed in this channel."},
		{"hidden, no channels", "can_move_messages_between_channels_group", onlyUsers(s, "olga"), "alice", id,
			[]string{"stream_id", hidden}, "", "Invalid channel ID"},
		{"no channels, no posting", "", "", "alice", id, []string{"stream_id", stageID}, "",
			"You don't have permission to move this message"},
		{"no topics, no channels", "", "", "alice", id, []string{"stream_id", stageID, "topic", "z"}, "", notYours},
		{"no posting, too late", "can_move_messages_between_channels_group", onlyUsers(s, "alice"), "alice", old,
			[]string{"stream_id", stageID}, "",
			"You do not have permission to post in this channel."},
		{"too late for channels", "", "", "alice", old, []string{"stream_id", named, "propagate_mode", "change_all"},
			"MOVE_MESSAGES_TIME_LIMIT_EXCEEDED", lateChannel},
		{"too late, a group", "can_move_messages_between_topics_group", onlyUsers(s, "alice"), "alice", old,
			[]string{"topic", "z"}, "MOVE_MESSAGES_TIME_LIMIT_EXCEEDED", lateTopic},
	} {
		if c.setting != "" {
			set(c.setting, c.value)
		}
		t.Run(c.name, func(t *testing.T) {
			s := s.In(t)
			code := c.code
			if code == "" {
				code = "BAD_REQUEST"
			}
			s.Skip()
			edit(s, c.as, c.id, c.params...).Error(400, code, c.msg)
			s.NoEvents()
		})
	}
	for _, m := range []int64{old, direct, id, note} {
		if a := s.As("alice").Do(fmt.Sprintf("GET /messages/%d", m)).OK(); a.String("raw_content") != "x" ||
			a.Has("message.edit_history") {
			t.Errorf("a refused edit changed %s", a.Body)
		}
	}
}
