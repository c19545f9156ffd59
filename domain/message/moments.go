package message

import (
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

// Sending is a moment: it runs before a message is rendered and checked, outside of any transaction. Hooks may change what
// is sent, or refuse it with an error, which the sender is answered.
type Sending struct {
	By      user.Actor
	Message *Outgoing
}

// Sent is a moment: it runs in the commit, under the realm's lock, once for all messages that are committed together. It
// must not refuse: an error fails all of them. Use few statements.
type Sent struct {
	Realm    realm.ID
	Messages []Message // ids rise
}
