package slack

import (
	"strings"

	"github.com/stoachat/stoa/domain/importing"
)

// skip returns why a message is left out because of its type or subtype, or "".
func (m *message) skip() string {
	if m.Type != "" && m.Type != "message" {
		return "of the type " + m.Type.s()
	}
	if m.User == "U00" {
		return "a damaged notice"
	}
	switch m.Subtype {
	case "tombstone", "hidden_by_limit":
		return "deleted or hidden by plan"
	case "channel_join", "channel_leave", "group_join", "group_leave", "channel_archive", "channel_unarchive",
		"group_archive", "group_unarchive", "channel_name", "group_name", "pinned_item", "unpinned_item":
		return "notice of Slack: " + m.Subtype.s()
	case "message_changed", "message_deleted":
		return "applied to the message that it changes"
	case "message_replied":
		return "repeats a reply"
	}
	return ""
}

// known reports whether a subtype is one that becomes a message.
func (m *message) known() bool {
	switch m.Subtype {
	case "", "file_share", "thread_broadcast", "bot_message", "me_message", "file_comment", "file_mention",
		"slackbot_response", "channel_topic", "channel_purpose", "group_topic", "group_purpose", "bot_add", "bot_remove",
		"reminder_add", "sh_room_created", "huddle_thread":
		return true
	}
	return false
}

// blank reports whether a message contains nothing.
func (m *message) blank() bool {
	switch m.Subtype {
	case "sh_room_created", "huddle_thread", "channel_topic", "channel_purpose", "group_topic", "group_purpose":
		return false
	}
	return strings.TrimSpace(m.Text.s()) == "" && len(m.Blocks) == 0 && len(m.Attachments) == 0 && len(m.Files) == 0 &&
		m.File.v == nil && m.Comment.get().Comment == ""
}

// content converts what a message says.
func (c *converter) content(m *message) []part {
	switch m.Subtype {
	case "channel_topic", "group_topic":
		return []part{c.notice("set the topic: ", "cleared the topic", m.Topic)}
	case "channel_purpose", "group_purpose":
		return []part{c.notice("set the description: ", "cleared the description", m.Purpose)}
	case "sh_room_created", "huddle_thread":
		return []part{c.call(m)}
	case "bot_add", "bot_remove", "reminder_add":
		return []part{para(flat(c.mrkdwn(withoutMention(m.Text.s())))...)}
	}
	out := c.body(m)
	if text := m.Comment.get().Comment; text != "" && strings.TrimSpace(m.Text.s()) == "" {
		out = append(out, c.mrkdwn(text.s())...)
	}
	return append(out, c.attachments(m.Attachments)...)
}

// body converts blocks, or the text if not one of them is understood. What the text says in place of an unknown block
// is not lost.
func (c *converter) body(m *message) []part {
	parts, understood, unknown := c.blocks(m.Blocks)
	if !understood {
		if strings.TrimSpace(m.Text.s()) != "" || !unknown {
			return c.mrkdwn(m.Text.s())
		}
		c.lose("a block of an unknown type")
		return parts
	}
	if !unknown {
		return parts
	}
	c.lose("a block of an unknown type")
	squeeze := func(all []part) string { return strings.Join(strings.Fields(plainParts(all)), "") }
	if text := c.mrkdwn(m.Text.s()); !strings.Contains(squeeze(parts), squeeze(text)) {
		parts = append(parts, text...)
	}
	return parts
}

// notice is a line about a change, which stands after its author's name.
func (c *converter) notice(set, cleared string, to text) part {
	if strings.TrimSpace(to.s()) == "" {
		return para(plain(cleared))
	}
	return para(append([]span{plain(set)}, flat(c.mrkdwn(to.s()))...)...)
}

// call says who took part in a call.
func (c *converter) call(m *message) part {
	spans := []span{plain("had a call")}
	seen := map[text]bool{"": true, m.User: true}
	room := m.Room.get()
	for _, all := range [][]text{room.History, room.Attended, room.Participants} {
		for _, id := range all {
			if seen[id] {
				continue
			}
			if seen[id] = true; len(spans) == 1 {
				spans = append(spans, plain(" with "))
			} else {
				spans = append(spans, plain(", "))
			}
			name := first(c.person(id.s()), id.s())
			spans = append(spans, reference(importing.SilentMention(importing.Key(id), escape(name, false)), name))
		}
	}
	return para(spans...)
}

// withoutMention removes the name at the beginning of a notice, after which it is shown.
func withoutMention(s string) string {
	if rest, ok := strings.CutPrefix(s, "<@"); ok {
		if _, after, ok := strings.Cut(rest, ">"); ok {
			return strings.TrimSpace(after)
		}
	}
	return s
}

// grey reports whether a message is shown as a line after its author's name.
func (m *message) grey() bool {
	switch m.Subtype {
	case "me_message", "channel_topic", "channel_purpose", "group_topic", "group_purpose", "bot_add", "bot_remove",
		"reminder_add", "sh_room_created", "huddle_thread":
		return true
	}
	return false
}
