package readstate

import (
	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
)

// unreadKeys describes the JSON of unreadMsgs.
type unreadKeys struct {
	Count      int           `json:"count"`
	PMs        []unreadFrom  `json:"pms"`
	Streams    []unreadTopic `json:"streams"`
	Huddles    []unreadAmong `json:"huddles"`
	Mentions   []message.ID  `json:"mentions" doc:"The IDs of unread messages that mention the user."`
	Wildcards  *[]message.ID `json:"wildcard_mentions,omitempty"`
	OldMissing bool          `json:"old_unreads_missing"`
}

type unreadFrom struct {
	Other  user.ID      `json:"other_user_id"`
	Sender user.ID      `json:"sender_id"`
	IDs    []message.ID `json:"unread_message_ids"`
}

type unreadTopic struct {
	Channel channel.ID   `json:"stream_id"`
	Topic   string       `json:"topic"`
	IDs     []message.ID `json:"unread_message_ids"`
}

type unreadAmong struct {
	Users string       `json:"user_ids_string"`
	IDs   []message.ID `json:"unread_message_ids"`
}

// Schemas describes the types that encode themselves.
func Schemas() []kit.Schema {
	return []kit.Schema{
		kit.SchemaOf[unreadMsgs]("UnreadMessages", "The unread messages of the caller, by conversation.", unreadKeys{}),
	}
}
