package channel

import (
	"github.com/stoachat/stoa/domain/ids"
	"github.com/stoachat/stoa/domain/user"
)

// ByAddress is a query for the channel whose email address contains a token. channels returns an *Addressed, which is
// nil if no channel has it.
type ByAddress struct{ Token string }

// Addressed is the target of a channel's email address.
type Addressed struct {
	Realm   ids.Realm
	Channel ID
	Creator user.ID // the user who requested the address, whose permissions apply
	Sender  user.ID // the sender of messages received at the address
}
