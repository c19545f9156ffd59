package absence

import (
	"reflect"
	"time"

	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

// repeatable makes, for each hook event that can be repeated, the one that may have been missed about a user since a
// time; nil if there is none.
var repeatable = map[reflect.Type]func(realm.ID, *user.User, time.Time) any{
	reflect.TypeFor[user.Joined](): func(r realm.ID, u *user.User, since time.Time) any {
		if !u.Active || u.Joined.Before(since) {
			return nil
		}
		return &user.Joined{Realm: r, By: user.Actor{Realm: r}, User: u}
	},
	reflect.TypeFor[user.RoleChanged](): func(r realm.ID, u *user.User, _ time.Time) any {
		if !u.Active {
			return nil
		}
		old := *u
		old.Role = user.Owner
		return &user.RoleChanged{Realm: r, By: user.Actor{Realm: r}, Old: &old, User: u}
	},
	reflect.TypeFor[user.Deactivated](): func(r realm.ID, u *user.User, _ time.Time) any {
		if u.Active {
			return nil
		}
		return &user.Deactivated{Realm: r, By: user.Actor{Realm: r}, User: u.ID}
	},
	reflect.TypeFor[user.ProfileDeleted](): func(r realm.ID, u *user.User, _ time.Time) any {
		if !u.Forgotten() {
			return nil
		}
		return &user.ProfileDeleted{Realm: r, By: user.Actor{Realm: r}, Old: u, User: u}
	},
	// It is not known whose keys and passwords have changed.
	reflect.TypeFor[user.KeysRevoked](): func(r realm.ID, u *user.User, _ time.Time) any {
		return &user.KeysRevoked{Realm: r, User: u.ID}
	},
	reflect.TypeFor[user.LoginChanged](): func(r realm.ID, u *user.User, _ time.Time) any {
		return &user.LoginChanged{Realm: r, By: user.Actor{Realm: r}, Old: u, User: u, Password: true}
	},
}

// eventFor returns the hook event of a type that may have been missed about a user since a time, or nil.
func eventFor(t reflect.Type, r realm.ID, u *user.User, since time.Time) any {
	if make := repeatable[t]; make != nil && u != nil && !u.System {
		return make(r, u, since)
	}
	return nil
}

// Repeatable reports whether hooks of an event can be repeated.
func Repeatable(t reflect.Type) bool { return repeatable[t] != nil }
