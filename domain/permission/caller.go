package permission

import (
	"slices"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/user"
)

// Caller gives the record of whoever makes a request, as it is now. Since the request was let in their account may
// have been deactivated, or the key or session that it came with ended. Units of work and the writer ask for
// everybody who changes something (ports.Asking); who needs the record asks here. Errors: Unauthorized.
func Caller(v *directory.View, a user.Actor) (*user.User, error) {
	switch u := v.User(a.User); {
	case u == nil || !u.Active:
		return nil, errs.New(errs.Unauthorized, "Account is deactivated")
	case a.Key != "" && !slices.Contains(u.Keys, a.Key):
		return nil, errs.New(errs.Unauthorized, "Invalid API key")
	case a.Session != 0 && !holds(v, a):
		return nil, errs.NotLoggedIn()
	default:
		return u, nil
	}
}

// holds reports whether an actor's session goes on.
func holds(v *directory.View, a user.Actor) bool {
	s := v.Session(a.Session)
	return s != nil && s.User == a.User
}
