// Package message defines messages and the rules for sending, editing and moving them.
package message

import (
	"time"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

// ID identifies a message on this server; within a realm, IDs are in the order of the log.
type ID int64

// MaxID is an upper limit of all message IDs. Clients use the same number as the anchor of the newest message.
const MaxID ID = 10_000_000_000_000_000

// Recipient identifies a conversation: a channel, or a set of users. On the wire it is recipient_id.
type Recipient int64

// OfChannel returns a channel's conversation, which needs no row.
func OfChannel(c channel.ID) Recipient { return Recipient(c) << 1 }

// OfDirect returns the direct conversation whose row has the given ID.
func OfDirect(id int64) Recipient { return Recipient(id)<<1 | 1 }

// Channel returns the channel of a channel conversation.
func (r Recipient) Channel() (channel.ID, bool) { return channel.ID(r >> 1), r&1 == 0 }

// Facts are properties of a message, as bits, that are the same for all readers.
type Facts int

// The facts, as stored. Never renumber them.
const (
	ChannelWildcard Facts = 1 << iota // mentions all subscribers
	HasLink
	HasImage
	HasAttachment
	HasWidget    // has submessages
	MovedChannel // was ever moved between channels
	IsMe         // /me
	Changed      // was edited or moved, so there is an edit history
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
	Stamp         int64     // changes with every change of the stored row; 0: not changed since there are stamps
	RealmURL      string    // address at which the sender reached the realm, if the content may contain it; otherwise ""

	// Loaded only on request.
	Edits       []Edit       // oldest first
	Reactions   []Reaction   // oldest first
	Submessages []Submessage // oldest first
}

// Visible is a message that a user can access.
type Visible struct {
	Message
	Members user.Set // of a direct message
}

// Reader is a user who is to be shown something about a message.
type Reader struct {
	User    user.ID
	Message ID
}

// Disclosure is what a reader may be shown of a message from which text was quoted earlier.
type Disclosure int

// The disclosures.
const (
	DiscloseNothing  Disclosure = iota // the message was deleted, or the reader cannot access it
	DiscloseLocation                   // the text was edited, and the organization hides the history of edits
	DiscloseQuote
)

// Outgoing is a message to be sent by ports.Sender.
type Outgoing struct {
	Channel channel.ID // 0: a direct message to To
	To      []user.ID  // the other participants, without the sender
	Topic   string
	Content string
	ReadFor user.ID // the user who has read it from the start (the actor of a notice), or 0
	// WidgetContent describes a widget, as in the request (see WidgetOf).
	WidgetContent string

	// Reply marks a bot's reply in a conversation that called it. Such a message can be sent to channels, and create
	// topics, where the bot could not post otherwise, except in archived channels.
	Reply bool

	// Key is the sender's idempotency key; "": none. If the sender has used it within the last day, the message is not
	// sent.
	Key string

	Silent bool // its mentions notify nobody and need no permission, because it quotes others
	// Files lists the path IDs of the files that a silent message owns. It does not own any others to which it links.
	Files  []string
	Viewer user.ID // user whose permissions limit what the text can link to; 0: the sender
}
