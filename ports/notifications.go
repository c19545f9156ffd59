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
