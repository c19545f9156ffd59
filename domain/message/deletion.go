package message

import (
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/user"
)

// IncludedInDeletion reports whether a deletion of a user's messages includes those in a conversation.
func IncludedInDeletion(v *directory.View, d user.Deletion, r Recipient) bool {
	id, isChannel := r.Channel()
	if !isChannel {
		return d.DirectMessages
	}
	c := v.Channel(id)
	switch {
	case c == nil:
		return false
	case c.Private:
		return d.PrivateChannels
	}
	return d.PublicChannels
}
