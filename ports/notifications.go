package ports

import (
	"context"

	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

// Receivers looks up the recipients of messages with their flags and read state. messages → notifications, push. It is
// a port because its users cannot work without an answer: it decides who may be notified of a message.
type Receivers interface {
	// MessageFlags returns the messages that exist, in order of ID, with the participants of direct messages and all
	// users' flags.
	MessageFlags(ctx context.Context, r realm.ID, ids ...message.ID) ([]message.UserFlags, error)
	// Unread returns the messages that exist, in order of ID. Each has the subset of its candidates who received the
	// message, can still access it and have not read it.
	Unread(ctx context.Context, r realm.ID, candidates map[message.ID]user.Set) ([]message.Unread, error)
}

// Notifier notifies users of messages of which they would not be notified otherwise. notifications → modules outside of
// this repository. It is a port because it stores what is to be sent.
type Notifier interface {
	// Notify notifies users of a message as if it mentioned them: by push and email as their settings say, when they
	// are idle and while they have not read it. It leaves out users who did not receive the message, bots, the sender
	// and users who have muted the sender. A user is notified of a message at most once. Joins an open unit of work.
	// Errors: BadRequest for a missing message.
	Notify(ctx context.Context, r realm.ID, id message.ID, us ...user.ID) error
}
