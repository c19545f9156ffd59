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

// Named returns the author of something that reader can read: a Stranger if reader cannot see the author, nil if there
// is no such user.
func Named(v *directory.View, reader *user.User, id user.ID) *user.User {
	who := v.User(id)
	if who == nil || Sees(v, reader, id) {
		return who
	}
	return Stranger(id)
}

// NamedToSpectators is like Named, but for clients without login.
func NamedToSpectators(v *directory.View, id user.ID) *user.User {
	if v.User(id) == nil {
		return nil
	}
	if shown := ShownToSpectators(v, id); shown != nil {
		return shown
	}
	return Stranger(id)
}
