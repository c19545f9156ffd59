package narrow

import (
	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/user"
)

// Op determines what a condition requires of a message.
type Op int8

// The values of Op.
const (
	InChannel      Op = iota + 1 // the channel Channel
	PublicChannels               // any public channel
	WebChannels                  // any web-public channel
	Archived                     // any archived channel
	InTopic                      // the topic with the key Text, in any channel
	Direct                       // any direct conversation, by is:dm
	Mine                         // any direct conversation, by dm-including with the reader
	Exactly                      // the conversation of Users
	Including                    // direct, User takes part
	GroupWith                    // direct with at least three participants, User takes part
	Sender                       // from User
	Starred                      // starred by the reader
	Unread                       // unread by the reader
	Mentioned                    // mentions the reader, by name, group or wildcard
	Alerted                      // contains an alert word of the reader
	Resolved                     // in a resolved topic
	Followed                     // in a topic that the reader follows
	Muted                        // in a topic or channel that the reader has muted
	Home                         // in no topic or channel that the reader has muted
	Link                         // contains a link
	Image                        // contains an image
	Attachment                   // contains an upload
	Reaction                     // has reactions
	TheMessage                   // the message ID
	MentionsOf                   // mentions User by name
	Search                       // contains the words of Text
)

// Condition is a resolved term.
type Condition struct {
	Op      Op
	Negated bool
	Channel channel.ID
	Text    string
	User    user.ID
	Users   user.Set // including the reader
	ID      message.ID
}

// Narrow is a conjunction of resolved terms.
type Narrow struct {
	Conditions []Condition
	History    bool // searches entire channel histories, otherwise only messages that the reader received
}
