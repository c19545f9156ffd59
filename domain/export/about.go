package export

import (
	"github.com/stoachat/stoa/domain/ids"
	"github.com/stoachat/stoa/domain/user"
)

// AboutUser is a query for what modules know about a user that no export of the organization contains, for the export
// of the user's data. The result is a Part.
type AboutUser struct {
	Realm ids.Realm
	User  user.ID
}

// Part is a file with lines in an export of a user's data.
type Part struct {
	Name  string // of the file, without its ending
	Lines []any  // each is encoded as JSON
}
