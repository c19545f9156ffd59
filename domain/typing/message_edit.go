package typing

import (
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/user"
)

// CheckEditing returns an error if u's settings don't allow notifying others that u is editing m. Errors: BadRequest.
func CheckEditing(u *user.User, m *message.Message) error {
	_, isChannel := m.Recipient.Channel()
	switch {
	case isChannel && !u.Settings.SendStreamTypingNotifications:
		return errs.Bad("User has disabled typing notifications for channel messages")
	case !isChannel && !u.Settings.SendPrivateTypingNotifications:
		return errs.Bad("User has disabled typing notifications for direct messages")
	}
	return nil
}

// Editing returns the users to notify that u is editing m: those who would be notified if u were typing a new message
// in the conversation and who are in readers, the users with access to m.
func Editing(v *directory.View, u *user.User, m message.Visible, readers user.Set) user.Set {
	id, isChannel := m.Recipient.Channel()
	all, named := m.Members, m.Members
	if isChannel {
		all, named = v.Subscribers(id), user.Set{u.ID}
	}
	if len(all) > MaxPeople {
		return nil
	}
	return receivers(v, all.And(readers), named)
}
