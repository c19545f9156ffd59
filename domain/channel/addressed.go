package channel

import (
	"github.com/stoachat/stoa/domain/ids"
	"github.com/stoachat/stoa/domain/user"
)

// Addressed is what an e-mail address of a channel stands for.
type Addressed struct {
	Realm   ids.Realm
	Channel ID
	Creator user.ID // who asked for the address, and with whose rights it works
	Sender  user.ID // as whom what arrives there is sent
}
