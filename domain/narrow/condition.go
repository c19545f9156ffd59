package narrow

import (
	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/user"
)

// Op is what a condition asks about.
type Op int8

// The conditions that terms come to.
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
	Starred                      // the reader has starred it
	Unread                       // the reader has not read it
	Mentioned                    // mentions the reader, by name, group or wildcard
	Alerted                      // holds one of the reader's alert words
	Resolved                     // its topic is marked as resolved
	Followed                     // its topic is followed by the reader
	Muted                        // it is in a muted place of the reader
	Home                         // it is in no muted place of the reader
	Link                         // holds a link
	Image                        // holds an image
	Attachment                   // holds an upload
	Reaction                     // somebody has reacted
	TheMessage                   // the message ID
	MentionsOf                   // mentions User by name
	Search                       // has the words of Text
)

// Condition is a term whose words have been looked up.
type Condition struct {
	Op      Op
	Negated bool
	Channel channel.ID
	Text    string
	User    user.ID
	Users   user.Set // the reader included
	ID      message.ID
}

// Narrow is a narrow whose words have been looked up: all conditions are to hold.
type Narrow struct {
	Conditions []Condition
	History    bool // goes over whole histories; otherwise over the reader's own messages
}
