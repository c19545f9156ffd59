package message

import (
	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/user"
)

// Invalid is the one answer for messages that do not exist and for those that the caller may not see.
func Invalid() error { return errs.Bad("Invalid message(s)") }

// Access says how far somebody may read a channel conversation.
type Access int8

// The degrees of access.
const (
	NoAccess  Access = iota
	OwnAccess        // what they have received
	AllAccess        // the whole history
)

// AccessTo gives how far u may read a channel conversation now. Direct conversations are read by their participants,
// who are not in the view: NoAccess.
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

// ChannelOf gives the channel of a channel conversation; nil for direct ones.
func ChannelOf(v *directory.View, r Recipient) *channel.Channel {
	id, isChannel := r.Channel()
	if !isChannel {
		return nil
	}
	return v.Channel(id)
}
