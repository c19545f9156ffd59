package flags

import (
	"context"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/topic"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
)

// Change is the payload of update_message_flags.
type Change struct {
	Operation string            `json:"operation"` // equal to the op of the event
	Flag      string            `json:"flag"`
	Messages  []message.ID      `json:"messages"`
	All       bool              `json:"all"`
	Details   map[string]Detail `json:"message_details,omitzero"` // of messages that became unread, by ID
}

// Detail contains what a client needs to count a message that became unread.
type Detail struct {
	Type      string `json:"type" doc:"stream or private."`
	Mentioned bool   `json:"mentioned,omitempty"`
	// WildcardMentioned is true if the message mentions the user only with others. It is sent to clients with the
	// capability wildcard_mentions.
	WildcardMentioned bool       `json:"wildcard_mentioned,omitempty"`
	StreamID          int64      `json:"stream_id,omitempty"`
	Topic             *string    `json:"topic,omitempty"`
	Unmuted           *bool      `json:"unmuted_stream_msg,omitempty"` // topic and channel are not muted; set for stream
	UserIDs           *[]user.ID `json:"user_ids,omitempty"`           // the other participants, ascending
}

var (
	added   = kit.Event[Change](message.EventFlags, "add")
	removed = kit.Event[Change](message.EventFlags, "remove").Shape(detailsFor).Sends(Change{})
)

// detailsFor replaces empty topics by their display name, and leaves out which mentions are wildcard mentions, for
// clients without the capability.
func detailsFor(_ context.Context, _ *directory.View, c event.Client, p *Change) (any, bool) {
	if c.EmptyTopicName && c.WildcardMentions || len(p.Details) == 0 {
		return p, true
	}
	shown := *p
	shown.Details = make(map[string]Detail, len(p.Details))
	for id, d := range p.Details {
		d.WildcardMentioned = d.WildcardMentioned && c.WildcardMentions
		if d.Topic != nil {
			name := topic.Show(*d.Topic, c.EmptyTopicName)
			d.Topic = &name
		}
		shown.Details[id] = d
	}
	return &shown, true
}

// Added returns the event for a flag that u has set on messages.
func Added(r realm.ID, u user.ID, flag string, ids []message.ID) event.Event {
	if ids == nil {
		ids = []message.ID{}
	}
	return added.To(r, event.To(u), Change{Operation: "add", Flag: flag, Messages: ids})
}

// AddedToAll returns the event for a flag that u has set on all messages.
func AddedToAll(r realm.ID, u user.ID, flag string) event.Event {
	return added.To(r, event.To(u), Change{Operation: "add", Flag: flag, Messages: []message.ID{}, All: true})
}

// Removed returns the event for a flag that u has removed from messages. details is required for the flag read.
func Removed(r realm.ID, u user.ID, flag string, ids []message.ID, details map[string]Detail) event.Event {
	if ids == nil {
		ids = []message.ID{}
	}
	return removed.To(r, event.To(u), Change{Operation: "remove", Flag: flag, Messages: ids, Details: details})
}
