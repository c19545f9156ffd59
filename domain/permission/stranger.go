package permission

import (
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/user"
)

// Stranger is all that is told of a user to those who have to know the id and may not know who it is: the same of
// everybody, but for the id.
func Stranger(id user.ID) *user.User {
	return &user.User{
		ID: id, FullName: "Unknown user", Role: user.Member, Active: true, AvatarSource: user.Gravatar, AvatarVersion: 1,
		Settings: user.Settings{EmailAddressVisibility: user.NobodySees},
	}
}

// Named gives a user whom something that reader may read comes from: a Stranger where reader may not know who it is;
// nil if there is no such user.
func Named(v *directory.View, reader *user.User, id user.ID) *user.User {
	who := v.User(id)
	if who == nil || Sees(v, reader, id) {
		return who
	}
	return Stranger(id)
}

// NamedToSpectators gives what those who are not logged in are told of a user whom something that everybody on the web
// may read comes from.
func NamedToSpectators(v *directory.View, id user.ID) *user.User {
	if v.User(id) == nil {
		return nil
	}
	if shown := ShownToSpectators(v, id); shown != nil {
		return shown
	}
	return Stranger(id)
}
