package profilefield

import (
	"encoding/json"

	"github.com/stoachat/stoa/domain/ids"
	"github.com/stoachat/stoa/domain/user"
)

// Showing is a moment: it runs when the records of people are shown with their profiles, once for all of them. Whoever
// keeps profiles fills them in. An error fails what is shown.
type Showing struct {
	Realm    ids.Realm
	Users    []user.ID                   // nil: everybody in the realm
	Profiles map[user.ID]json.RawMessage // a Profile as JSON, of those who say anything
}

// Giving is a moment: it runs in the commit of PATCH /users/{id}, when an administrator gives values to the fields of
// another person, after the user's own entry. An error refuses the whole change.
type Giving struct {
	Realm  ids.Realm
	By     user.Actor
	User   user.ID
	Values []Given
	Kept   bool // set by whoever keeps profiles; without such a module there are no fields
}

// Adding is a moment: it asks for new fields, after those that there are (demo). It runs outside of any unit of work.
// Without a module that keeps profiles nothing comes of it. Errors: those of POST /realm/profile_fields.
type Adding struct {
	By     user.Actor
	Fields []Field
}
