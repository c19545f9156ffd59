package message

import (
	"time"

	"github.com/stoachat/stoa/domain/user"
)

// The bounds of what is read of a message's changes.
const (
	// the newest are shown in edit_history and GET /messages/{id}/history, which begins with the original; all are kept
	MaxEdits = 100
	// MaxChanges bounds the changes after which the content of a message may still be edited; what it was before is all
	// kept.
	MaxChanges   = 1000
	MaxCrossings = 100 // moves between channels: more are refused
)

// Edit is one change of a message: of its content, its topic, its channel, or of several at once. What did not change
// is nil or 0.
type Edit struct {
	Message      ID
	N            int   // 1, 2, 3, ... of this message
	Seq          int64 // of the log entry
	User         user.ID
	At           time.Time
	PrevContent  *string
	PrevRendered *string
	PrevTopic    *string
	Topic        *string
	From, To     Recipient // between channels
	ToProtected  bool      // the history of To was not open to its subscribers
}

// Place is a topic of a channel.
type Place struct {
	Recipient Recipient
	Topic     string
}

// Reaction is an emoji that somebody has put to a message.
type Reaction struct {
	Message ID      `json:"-"`
	Name    string  `json:"emoji_name"`
	Code    string  `json:"emoji_code"`
	Type    string  `json:"reaction_type"` // UnicodeEmoji, RealmEmoji, ExtraEmoji
	User    user.ID `json:"user_id"`
}

// Attachment is an uploaded file as answers describe it.
type Attachment struct {
	ID         int64  `json:"id"`
	Name       string `json:"name"`
	PathID     string `json:"path_id"`
	Size       int64  `json:"size"`        // bytes
	CreateTime int64  `json:"create_time"` // seconds
	MessageIDs []ID   `json:"message_ids"`
}
