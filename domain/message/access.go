package message

import (
	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/user"
)

// Invalid returns the error for messages that do not exist or that the caller cannot access.
func Invalid() error { return errs.Bad("Invalid message(s)") }

// Access is the part of a channel conversation that a user can read.
type Access int8

// Values of Access.
const (
	NoAccess  Access = iota
	OwnAccess        // messages that the user received
	AllAccess        // the whole history
)

// AccessTo returns the part of a channel conversation that u can currently read. It returns NoAccess for direct
// conversations, whose participants are not in the view.
func AccessTo(v *directory.View, r Recipient, u *user.User) Access {
	id, channel := r.Channel()
	if !channel {
		return NoAccess
	}
	c := v.Channel(id)
	switch {
	case permission.ReadsAll(v, c, u):
		return AllAccess
	case permission.Reads(v, c, u):
		return OwnAccess
	}
	return NoAccess
}

// ChannelOf returns the channel of a channel conversation, or nil for direct ones.
func ChannelOf(v *directory.View, r Recipient) *channel.Channel {
	id, isChannel := r.Channel()
	if !isChannel {
		return nil
	}
	return v.Channel(id)
}
