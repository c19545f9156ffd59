package message

import (
	"encoding/json"
	"strings"
	"unicode/utf8"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/user"
)

// SubmessageID identifies a submessage on this server.
type SubmessageID int64

// Limits on submessages. Every response with a message contains all of its submessages.
const (
	MaxSubmessages     = 5000    // of one message
	MaxSubmessageBytes = 250_000 // contents of all submessages of one message
	maxSubmessage      = 10_000  // bytes of one content
	maxSubmessageType  = 50      // bytes
)

// TypeWidget is the msg_type of widgets such as polls.
const TypeWidget = "widget"

// Submessage is a piece of JSON attached to a message. The first one of a message is by its sender and defines what the
// others mean.
type Submessage struct {
	ID      SubmessageID `json:"id"`
	Message ID           `json:"message_id"`
	Sender  user.ID      `json:"sender_id"`
	Type    string       `json:"msg_type"`
	Content string       `json:"content"` // JSON text
}

// CheckSubmessage validates the type and content of a submessage. Errors: BadRequest.
func CheckSubmessage(msgType, content string) error {
	switch {
	case msgType == "" || len(msgType) > maxSubmessageType || !utf8.ValidString(msgType) ||
		strings.ContainsRune(msgType, 0):
		return errs.Bad("Invalid msg_type")
	case len(content) > maxSubmessage:
		return errs.Bad("content is too long (limit: %d bytes)", maxSubmessage)
	case !json.Valid([]byte(content)) || !utf8.ValidString(content) || strings.ContainsRune(content, 0):
		return errs.Bad("Invalid json for submessage")
	}
	return nil
}

// Submessages summarizes the submessages of a message.
type Submessages struct {
	First *Submessage // nil if there are none
	Count int
	Bytes int // of all contents
}

// Admit returns an error unless a user is allowed to attach another submessage to m. Errors: BadRequest.
func (all Submessages) Admit(m *Message, by user.ID, content string) error {
	switch {
	case all.First == nil && m.Sender != by:
		return errs.Bad("You cannot attach a submessage to this message.")
	case all.Count >= MaxSubmessages || all.Bytes+len(content) > MaxSubmessageBytes:
		return errs.Bad("This message has too many submessages.")
	}
	return nil
}
