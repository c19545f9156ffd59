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

	// What one user and the user's bots can attach to one message besides the first submessage, so that no one can close
	// a poll for others.
	MaxOwnSubmessages     = 200
	MaxOwnSubmessageBytes = 20_000

	// A fifth of a message's bytes is kept for small contents, such as votes.
	smallSubmessage = 100 // bytes
	maxLargeBytes   = MaxSubmessageBytes * 4 / 5
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
	All   SubmessageTotal
	Own   SubmessageTotal // of one user and the user's bots, without First
}

// SubmessageTotal is the number and total size of submessages.
type SubmessageTotal struct {
	Count int
	Bytes int // of all contents
}

func (t SubmessageTotal) without(some []Submessage) SubmessageTotal {
	for _, one := range some {
		t.Count, t.Bytes = t.Count-1, t.Bytes-len(one.Content)
	}
	return t
}

// CheckFirst returns an error unless a user may attach a submessage to m at all: the first one is the sender's. Errors:
// BadRequest.
func (all Submessages) CheckFirst(m *Message, by user.ID) error {
	if all.First == nil && m.Sender != by {
		return errs.Bad("You cannot attach a submessage to this message.")
	}
	return nil
}

// Admit returns an error if another submessage, which replaces some of the user's own, would exceed a limit. Errors:
// BadRequest.
func (all Submessages) Admit(content string, replaced []Submessage) error {
	total, own, most := all.All.without(replaced), all.Own.without(replaced), MaxSubmessageBytes
	if all.First != nil && len(content) > smallSubmessage {
		most = maxLargeBytes
	}
	switch {
	case total.Count >= MaxSubmessages || total.Bytes+len(content) > most:
		return errs.Bad("This message has too many submessages.")
	case all.First != nil && (own.Count >= MaxOwnSubmessages || own.Bytes+len(content) > MaxOwnSubmessageBytes):
		return errs.Bad("You have attached too many submessages to this message.")
	}
	return nil
}
