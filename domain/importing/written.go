package importing

import (
	"time"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/user"
)

// Written is a message to be written, with the IDs and names that it has here.
type Written struct {
	Channel   channel.ID // 0: a direct message to Members
	Members   user.Set   // all participants
	Topic     string
	Sender    user.ID
	Client    string
	Sent      time.Time
	Content   string
	Edited    time.Time
	Moved     time.Time
	Edits     []message.Edit // without Message, N and Seq
	Reactions []message.Reaction
	Widgets   []message.Submessage
	Starred   user.Set
	Unread    user.Set
	Receivers *user.Set // in a channel with protected history; nil: all subscribers

	ID      message.ID // result; 0 if Refused
	Refused error      // result: why modules refuse the content, or could not revise it
	Cut     error      // result: the same for a former content, which is then left out
}

// Marked is a user's state of an imported message.
type Marked struct {
	User    user.ID
	Message message.ID
	Flags   message.Flag // to be added
	Unread  bool
}
