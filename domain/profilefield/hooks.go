package profilefield

import (
	"encoding/json"

	"github.com/stoachat/stoa/domain/ids"
	"github.com/stoachat/stoa/domain/user"
)

// Showing is a hook event that runs once per response that contains users' profiles. The handler sets Profiles. An
// error fails the request.
type Showing struct {
	Realm    ids.Realm
	Users    []user.ID                   // nil: all users of the realm
	Profiles map[user.ID]json.RawMessage // a Profile as JSON, for users with values
}

// Giving is a hook event that runs in the commit of PATCH /users/{id}, after the user's own entry, when an
// administrator sets another user's fields. An error refuses the whole change.
type Giving struct {
	Realm  ids.Realm
	By     user.Actor
	User   user.ID
	Values []Given
	Kept   bool // set by the handler; if there is none, no fields exist
}

// Adding is a hook event that appends new fields (demo). It runs outside of any unit of work and has no effect
// without a handler. Errors: those of POST /realm/profile_fields.
type Adding struct {
	By     user.Actor
	Fields []Field
}
