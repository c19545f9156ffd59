package channel

import (
	"github.com/stoachat/stoa/domain/ids"
	"github.com/stoachat/stoa/domain/user"
)

// Addressed is what an email address of a channel refers to.
type Addressed struct {
	Realm   ids.Realm
	Channel ID
	Creator user.ID // the user who requested the address, whose permissions apply
	Sender  user.ID // the sender of messages received at the address
}
