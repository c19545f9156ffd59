// Package message is messages: what was sent, to whom, and what each reader has done with it.
package message

import (
	"time"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

// ID identifies a message on this server; within a realm ids rise in the order of the log.
type ID int64

// Recipient identifies a conversation: a channel, or a set of users. It is the wire's recipient_id.
type Recipient int64

// OfChannel gives a channel's conversation. No row is needed for it.
func OfChannel(c channel.ID) Recipient { return Recipient(c) << 1 }

// OfDirect gives the conversation of a stored set of users by its row id.
func OfDirect(id int64) Recipient { return Recipient(id)<<1 | 1 }

// Channel gives the channel of a channel conversation.
func (r Recipient) Channel() (channel.ID, bool) { return channel.ID(r >> 1), r&1 == 0 }

// Facts are bits that are true of a message for everybody.
type Facts int

// The facts, as stored; never renumber.
const (
	ChannelWildcard Facts = 1 << iota // mentions all subscribers
	HasLink
	HasImage
	HasAttachment
	HasWidget // has submessages
	Crossed   // was ever moved between channels
	IsMe      // /me
	Changed   // was edited or moved: there is an edit history
)

// Message is a stored message.
type Message struct {
	ID            ID
	Realm         realm.ID
	Recipient     Recipient
	Topic         string
	TopicKey      string // Topic folded
	Sender        user.ID
	Client        string
	SentAt        time.Time
	Content       string
	Rendered      string
	RenderVersion int
	Facts         Facts
	ReadFor       user.ID   // the one person for whom it is read from the start, or 0
	Notice        int16     // 1: a resolve notice, unread by policy
	EditedAt      time.Time // of the content; zero: never
	MovedAt       time.Time // to another topic or channel, but for resolving and unresolving; zero: never
	RealmURL      string    // where its sender reached the realm, if the content may name that; else ""

	// Only where they were asked for.
	Edits       []Edit       // oldest first
	Reactions   []Reaction   // oldest first
	Submessages []Submessage // oldest first
}

// Visible is a message that somebody may see.
type Visible struct {
	Message
	Members user.Set // of a direct message
}

// Outgoing is a message to be sent by ports.Sender.
type Outgoing struct {
	Channel channel.ID // or
	To      []user.ID  // the other participants; the sender is added
	Topic   string
	Content string
	ReadFor user.ID // who has read it from the start (the actor of a notice), or 0
	// WidgetContent describes a widget, as the client sent it. A hook of Sending checks it and sets Widget, which
	// becomes the message's first submessage.
	WidgetContent, Widget string

	// Reply marks the answer of a bot in a conversation that called it. It may go to a channel or begin a topic where
	// the bot could not post otherwise, but not to an archived channel.
	Reply bool

	// Key identifies the message among those of its sender: a repeat with the same key within a day is not sent
	// again. "": none.
	Key string

	Silent bool // what it mentions is shown, but notifies nobody and needs no permission: it quotes others
	// Files are the path IDs of a silent message's own files; others that it links to do not come to belong to it.
	Files  []string
	Viewer user.ID // what this person may see is what the text can link to; 0: what the sender may see
	// Raises is set by a hook of Sending that wants to look in the commit whether the message raises its sender's
	// policy for the topic: most do not, and the commit is where everybody waits.
	Raises bool
}
