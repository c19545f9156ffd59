package notification

import (
	"github.com/stoachat/stoa/domain/group"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

// Notice is a message that a user is to be notified of.
type Notice struct {
	User    user.ID
	Message message.ID
	Push    Trigger  // None: not by push
	Email   Trigger  // None: not by email
	Group   group.ID // the smallest group through which alone the user is mentioned; 0: none
}

// Decided is a hook event that runs in the transaction that decides on notifications, at most once per user, message
// and kind. Handlers store what they will send, and check when sending that the message is still unread. An error rolls
// the decision back, which is then retried.
type Decided struct {
	Realm   realm.ID
	Notices []Notice // by message, then by user
}
