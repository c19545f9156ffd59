package profilefield

import (
	"github.com/stoachat/stoa/domain/ids"
	"github.com/stoachat/stoa/domain/user"
)

// ProfilesOf is a query for users' profiles, asked once per response that contains them. profilefields returns a
// map[user.ID]json.RawMessage with a Profile as JSON for each user with values.
type ProfilesOf struct {
	Realm ids.Realm
	Users []user.ID // nil: all users of the realm
}

// SettingValues is a hook event that runs in the commit of PATCH /users/{id}, after the user's own entry, when an
// administrator sets another user's fields. An error refuses the whole change.
type SettingValues struct {
	Realm  ids.Realm
	By     user.Actor
	User   user.ID
	Values []Given
}

// AddingFields is a hook event that appends new fields (demo). It runs outside of any unit of work and has no effect
// without a handler. Errors: those of POST /realm/profile_fields.
type AddingFields struct {
	By     user.Actor
	Fields []Field
}

// FieldsOf is a query for the fields of a realm. profilefields returns a []Field.
type FieldsOf struct{ Realm ids.Realm }
