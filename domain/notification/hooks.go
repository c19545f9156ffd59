package notification

import (
	"github.com/stoachat/stoa/domain/group"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

// Notice is a message that someone is to be notified of.
type Notice struct {
	User    user.ID
	Message message.ID
	Push    Trigger  // None: not by push
	Email   Trigger  // None: not by email
	Group   group.ID // through which alone the person is mentioned, the smallest of several; 0: none
}

// Raised is a hook event. It runs in the transaction that decides on notifications, and at most once for a person, a
// message and a way to notify. Handlers store what they are going to send; whether the message is still unread is to
// be checked when it is sent. An error rolls the decision back, and it is made again.
type Raised struct {
	Realm   realm.ID
	Notices []Notice // by message, then by user
}
