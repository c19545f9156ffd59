package message

import (
	"encoding/json"
	"time"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/export"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

// TopicStarts is a query that reports which channel messages start their topics for their senders: those in whose topic
// the sender can read no message with a lower ID. A message without an ID is yet to be sent. Only Sender, Recipient,
// TopicKey and ID are used. messages returns a bool per message. It may run inside a unit of work.
type TopicStarts struct {
	Realm    realm.ID
	Messages []Message
}

// ChannelCounts is a query for the number of messages sent to channels, by day. messages returns a Counted, which
// covers a limited number of messages, oldest first.
type ChannelCounts struct {
	After  ID        // counts messages with higher IDs
	Since  time.Time // ignores earlier messages
	Before time.Time // leaves later messages to the next query: others with lower IDs may still be uncommitted
}

// Counted is the result of ChannelCounts.
type Counted struct {
	Upto ID // the highest ID covered; After if there are no more messages
	Sent map[realm.ID][]channel.Counted
}

// WidgetOf is a query for the widget of a message that is about to be sent. widgets returns it as a string, which
// becomes the message's first submessage, or "". Errors: BadRequest if Description is invalid.
type WidgetOf struct {
	Content     string
	Description string // Outgoing.WidgetContent
}

// Revising is a query about a text that is to become the content of a message: one that is sent, edited, scheduled, due
// after it was scheduled, or imported. Any number of modules return the text to use instead, as a string, or the same
// one; each is given that of the previous one. An error refuses the message, and its text is for the sender. Messages
// by the server's own bots are exempt. The query is asked outside or inside of a transaction, so answers make no remote
// calls, and those together have MaxRevising. It is asked again for an edited or scheduled message, so revising a
// revised text must change nothing.
type Revising struct {
	By      user.Actor
	Message ID         // 0: new
	Channel channel.ID // 0: a direct message to To
	To      []user.ID  // the participants, including the sender
	Topic   string
	Content string
	Past    bool // the content, or a former one, of a message that is imported; By may be deactivated
}

// MaxRevising is the time in which a text must be revised.
const MaxRevising = time.Second

// UsableFiles is a query for the files that the sender of a message is allowed to use in it, asked while the message is
// rendered, outside or inside of a transaction. uploads returns a map[string]markdown.Upload of those among Paths. An
// error fails the rendering.
type UsableFiles struct {
	Realm   realm.ID
	Sender  user.ID
	Message ID       // 0: new; otherwise files to which it already refers are allowed as well
	Paths   []string // path IDs, each once
}

// DetachedFiles is a query for the files of a user to which no message will refer after an edit, asked in the edit's
// transaction, under the realm's lock, before Edited. uploads returns a []Attachment.
type DetachedFiles struct {
	Realm       realm.ID
	Owner       user.ID
	Message     ID
	Attachments []string // path IDs of the files to which the new content refers
}

// PagePreviews is a query for the previews of the pages to which messages link. It runs before the messages are
// rendered again. The result is a map with a markdown.Embed per page that has a preview. An error leaves the messages
// unchanged.
type PagePreviews struct {
	Realm realm.ID
	Pages []string // distinct link targets
}

// RetentionDays is a query for the message_retention_days of active realms. realm returns a map, read from rows, of the
// realms that have a limit.
type RetentionDays struct{}

// OldestRetained is a query for the oldest message of each channel that has a retention limit. Days holds the limits of
// realms, which apply to channels without their own. channels returns a []First, read from rows.
type OldestRetained struct {
	Days map[realm.ID]int
}

// First is the oldest message of a channel that keeps its messages for the given number of days.
type First struct {
	Realm   realm.ID
	Message ID
	Days    int
}

// ObjectFor is a query for a message that a user can access. Bots can also read the channel messages that their owner
// can access. messages returns an Object. It may run inside a unit of work. Errors: BadRequest, the same for missing
// and inaccessible messages; Unauthorized if the user is not active.
type ObjectFor struct {
	Reader  user.Actor
	Message ID
}

// Object is the result of ObjectFor: a message and its wire form, in which content is Markdown and rendered_content
// HTML.
type Object struct {
	Message Visible
	JSON    json.RawMessage
}

// InExport is a query for those of the given messages that an export of a realm contains. messages returns a []ID in
// ascending order.
type InExport struct {
	Scope    *export.Scope
	Messages []ID
}

// MostDiscussed is a query for the topics in which users, not bots, wrote since a time. messages returns at most Limit
// of them as a []Discussion, those with the most writers first, each with its newest messages.
type MostDiscussed struct {
	Realm realm.ID
	Since time.Time
	Limit int
}

// Writers is a query for the users who sent messages in a realm since a time. messages returns a user.Set.
type Writers struct {
	Realm realm.ID
	Since time.Time
}

// ChangedSince is a query for the messages that were sent or edited since a time. messages returns a ChangedMessages,
// which covers a limited number of messages, oldest first. Not inside Do.
type ChangedSince struct {
	Realm realm.ID
	Since time.Time
	After ID // covers messages with higher IDs
}

// ChangedMessages is the result of ChangedSince.
type ChangedMessages struct {
	Upto     ID // the highest ID covered; After if there are no more messages
	Messages []ChangedMessage
}

// ChangedMessage is a message that was sent or edited, as it is now.
type ChangedMessage struct {
	Message
	New         bool     // it was sent, rather than only edited
	Attachments []string // path IDs of the files that it refers to, as in Edited
	Pages       []string // links that could have previews, as in Edited
}

// MovedSince is a query for the messages that were moved since a time, for modules that did not run then. messages
// returns an []Edited without what belongs to an edit: one per topic in which messages were and topic in which they are
// now, by the time of the last move. Before and After are the first of the messages, without its content. Not inside
// Do.
type MovedSince struct {
	Realm realm.ID
	Since time.Time
}

// Gone is a query for those of the given messages that do not exist. messages returns a []ID in ascending order.
type Gone struct {
	Realm    realm.ID
	Messages []ID
}
