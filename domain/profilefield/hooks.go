package profilefield

import (
	"encoding/json"

	"github.com/stoachat/stoa/domain/ids"
	"github.com/stoachat/stoa/domain/user"
)

// LoadingProfiles is a hook event that runs once per response that contains users' profiles. The handler sets Profiles.
// An error fails the request.
type LoadingProfiles struct {
	Realm    ids.Realm
	Users    []user.ID                   // nil: all users of the realm
	Profiles map[user.ID]json.RawMessage // a Profile as JSON, for users with values
}

// SettingValues is a hook event that runs in the commit of PATCH /users/{id}, after the user's own entry, when an
// administrator sets another user's fields. An error refuses the whole change.
type SettingValues struct {
	Realm   ids.Realm
	By      user.Actor
	User    user.ID
	Values  []Given
	Handled bool // set by the handler; still false if no module handles the event
}

// AddingFields is a hook event that appends new fields (demo). It runs outside of any unit of work and has no effect
// without a handler. Errors: those of POST /realm/profile_fields.
type AddingFields struct {
	By     user.Actor
	Fields []Field
}
