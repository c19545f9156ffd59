// Package message defines messages and the rules for sending, editing and moving them.
package message

import (
	"time"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

// ID identifies a message on this server; within a realm ids rise in the order of the log.
type ID int64

// Recipient identifies a conversation: a channel, or a set of users. On the wire it is recipient_id.
type Recipient int64

// OfChannel returns a channel's conversation, which needs no row.
func OfChannel(c channel.ID) Recipient { return Recipient(c) << 1 }

// OfDirect returns the direct conversation with a row id.
func OfDirect(id int64) Recipient { return Recipient(id)<<1 | 1 }

// Channel returns the channel of a channel conversation.
func (r Recipient) Channel() (channel.ID, bool) { return channel.ID(r >> 1), r&1 == 0 }

// Facts are bits that are equal for all readers of a message.
type Facts int

// The facts, as stored. Never renumber them.
const (
	ChannelWildcard Facts = 1 << iota // mentions all subscribers
	HasLink
	HasImage
	HasAttachment
	HasWidget // has submessages
	Crossed   // was ever moved between channels
	IsMe      // /me
	Changed   // was edited or moved, so there is an edit history
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
	ReadFor       user.ID   // the one user for whom it is read from the start, or 0
	Notice        int16     // 1: a resolve notice, unread by policy
	EditedAt      time.Time // of the content; zero: never
	MovedAt       time.Time // to another topic or channel, except resolving; zero: never
	RealmURL      string    // address at which the sender reached the realm, if the content may contain it; otherwise ""

	// Loaded only on request.
	Edits       []Edit       // oldest first
	Reactions   []Reaction   // oldest first
	Submessages []Submessage // oldest first
}

// Visible is a message that a user may see.
type Visible struct {
	Message
	Members user.Set // of a direct message
}

// Outgoing is a message to be sent by ports.Sender.
type Outgoing struct {
	Channel channel.ID // or
	To      []user.ID  // the other participants, without the sender
	Topic   string
	Content string
	ReadFor user.ID // the user who has read it from the start (the actor of a notice), or 0
	// WidgetContent describes a widget, as in the request. A hook of Sending checks it and sets Widget, which becomes
	// the message's first submessage.
	WidgetContent, Widget string

	// Reply marks the answer of a bot in a conversation that called it. It may be sent to a channel or create a topic
	// where the bot cannot post otherwise, but not to an archived channel.
	Reply bool

	// Key is an idempotency key of the sender: a message with the key of another one of the last day is not sent again.
	// "" is no key.
	Key string

	Silent bool // its mentions notify nobody and need no permission, because it quotes others
	// Files are the path IDs of a silent message's own files. It does not own other files that it links to.
	Files  []string
	Viewer user.ID // user whose permissions limit what the text can link to; 0: the sender
	// Raises is set by hooks of Sending that need to check in the commit whether the message raises its sender's policy
	// for the topic. Most messages do not, and the commit is contended.
	Raises bool
}
