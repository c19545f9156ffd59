package message

import (
	"time"

	"github.com/stoachat/stoa/domain/user"
)

// Limits on changes to a message.
const (
	// changes returned in edit_history and by GET /messages/{id}/history, which starts with the original; all are
	// stored
	MaxEdits = 100
	// changes after which the content of a message can no longer be edited
	MaxChanges      = 1000
	MaxChannelMoves = 100 // moves between channels
)

// Edit is one change to a message's content, topic or channel, or to several of these. Fields for unchanged properties
// are nil or 0.
type Edit struct {
	Message      ID
	N            int   // number of the edit within its message, from 1
	Seq          int64 // of the log entry
	User         user.ID
	At           time.Time
	PrevContent  *string
	PrevRendered *string
	PrevTopic    *string
	Topic        *string
	From, To     Recipient // set if the message moved between channels
	ToProtected  bool      // the history of To was protected
}

// TopicRef identifies a topic of a channel.
type TopicRef struct {
	Recipient Recipient
	Topic     string
}

// Reaction is a user's emoji reaction to a message.
type Reaction struct {
	Message ID      `json:"-"`
	Name    string  `json:"emoji_name"`
	Code    string  `json:"emoji_code"`
	Type    string  `json:"reaction_type" enum:"unicode_emoji,realm_emoji,service_extra_emoji"`
	User    user.ID `json:"user_id"`
}

// Attachment describes an uploaded file in wire form.
type Attachment struct {
	ID         int64  `json:"id" doc:"The ID of the file."`
	Name       string `json:"name"`
	PathID     string `json:"path_id"`
	Size       int64  `json:"size"`        // bytes
	CreateTime int64  `json:"create_time"` // Unix seconds
	MessageIDs []ID   `json:"message_ids"`
}
