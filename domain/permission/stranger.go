package permission

import (
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/user"
)

// Stranger returns the record that stands for a user whom the reader cannot see. Only its ID depends on the user.
func Stranger(id user.ID) *user.User {
	return &user.User{
		ID: id, FullName: "Unknown user", Role: user.Member, Active: true, AvatarSource: user.Gravatar, AvatarVersion: 1,
		Settings: user.Settings{EmailAddressVisibility: user.NobodySees},
	}
}

// UserOrStranger returns a user named in something that reader can read, such as its author: a Stranger if reader
// cannot see the user, nil if the user does not exist.
func UserOrStranger(v *directory.View, reader *user.User, id user.ID) *user.User {
	found := v.User(id)
	if found == nil || Sees(v, reader, id) {
		return found
	}
	return Stranger(id)
}

// UserOrStrangerForSpectators is like UserOrStranger, but for clients without login.
func UserOrStrangerForSpectators(v *directory.View, id user.ID) *user.User {
	if v.User(id) == nil {
		return nil
	}
	if shown := ShownToSpectators(v, id); shown != nil {
		return shown
	}
	return Stranger(id)
}
