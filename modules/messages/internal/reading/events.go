package reading

import (
	"context"
	"strconv"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/readstate"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/topic"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
)

// flagChange is update_message_flags.
type flagChange struct {
	Operation string            `json:"operation"` // the op, again
	Flag      string            `json:"flag"`
	Messages  []message.ID      `json:"messages"`
	All       bool              `json:"all"`
	Details   map[string]detail `json:"message_details,omitzero"` // of messages that are unread again, by id
}

// detail is where a message that is unread again has to be counted.
type detail struct {
	Type      string     `json:"type"` // stream, private
	Mentioned bool       `json:"mentioned,omitempty"`
	StreamID  int64      `json:"stream_id,omitempty"`
	Topic     *string    `json:"topic,omitempty"`
	Unmuted   *bool      `json:"unmuted_stream_msg,omitempty"` // of stream, always: neither its topic nor its channel is muted
	UserIDs   *[]user.ID `json:"user_ids,omitempty"`           // the other participants, ascending
}

var (
	flagsAdded   = kit.Event[flagChange]("update_message_flags", "add")
	flagsRemoved = kit.Event[flagChange]("update_message_flags", "remove").Shape(showTopics)
	mutedUsers   = kit.Event[mutedSection]("muted_users", "")
)

// showTopics names the empty topic for clients that do not know it.
func showTopics(_ context.Context, _ *directory.View, c event.Client, p *flagChange) (any, bool) {
	if c.EmptyTopicName || len(p.Details) == 0 {
		return p, true
	}
	shown := *p
	shown.Details = make(map[string]detail, len(p.Details))
	for id, d := range p.Details {
		if d.Topic != nil {
			name := topic.Show(*d.Topic, false)
			d.Topic = &name
		}
		shown.Details[id] = d
	}
	return &shown, true
}

// added tells that messages have a flag now.
func added(r realm.ID, u user.ID, flag string, ids []message.ID, all bool) event.Event {
	if ids == nil {
		ids = []message.ID{}
	}
	return flagsAdded.To(r, event.To(u), flagChange{Operation: "add", Flag: flag, Messages: ids, All: all})
}

// removed tells that messages have lost a flag; details are needed for read.
func removed(r realm.ID, u user.ID, flag string, ids []message.ID, details map[string]detail) event.Event {
	if ids == nil {
		ids = []message.ID{}
	}
	return flagsRemoved.To(r, event.To(u), flagChange{Operation: "remove", Flag: flag, Messages: ids, Details: details})
}

// details describes messages that are unread again; members are those of the direct conversations, muting is what u has
// muted.
func details(
	u user.ID,
	fs []fact,
	flags func(message.ID) message.Flag,
	members map[message.Recipient]user.Set,
	muting *readstate.Muting,
) map[string]detail {
	all := make(map[string]detail, len(fs))
	for _, f := range fs {
		d := detail{Mentioned: mentions(flags(f.ID), f.Facts)}
		if c, channel := f.Recipient.Channel(); channel {
			unmuted := !muting.Muted(c, topic.Key(f.Topic))
			d.Type, d.StreamID, d.Topic, d.Unmuted = "stream", int64(c), &f.Topic, &unmuted
		} else {
			others := []user.ID(members[f.Recipient].Minus(user.Set{u}))
			if others == nil {
				others = []user.ID{}
			}
			d.Type, d.UserIDs = "private", &others
		}
		all[strconv.FormatInt(int64(f.ID), 10)] = d
	}
	return all
}

// mentions tells whether a message mentions its reader in any way.
func mentions(f message.Flag, facts message.Facts) bool {
	return f&(message.Mentioned|message.TopicWildcard) != 0 || facts&message.ChannelWildcard != 0
}
