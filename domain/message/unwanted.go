package message

import (
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/user"
)

// Unwanted tells whether a message of somebody of whom d is to be deleted goes, by where it is now.
func Unwanted(v *directory.View, d user.Deletion, r Recipient) bool {
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
