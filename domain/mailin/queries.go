package mailin

import (
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

// ReplyAddress is a query for the address to which a user sends replies to a message's conversation. It never changes.
// mailin returns a string. It runs outside of transactions, because the first answer records when the address was
// issued.
type ReplyAddress struct {
	Realm   realm.ID
	User    user.ID
	Message message.ID
}
