package permission

import (
	"slices"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/user"
)

// Caller returns the current record of the caller of a request. Since the request was admitted, the account may have
// been deactivated, or its key or session revoked. Units of work and the writer check this for every change
// (ports.WithCaller); code that needs the record calls Caller. Errors: Unauthorized.
func Caller(v *directory.View, a user.Actor) (*user.User, error) {
	switch u := v.User(a.User); {
	case u == nil || !u.Active:
		return nil, user.AccountDeactivated()
	case a.Key != "" && !slices.Contains(u.Keys, a.Key):
		return nil, errs.New(errs.Unauthorized, "Invalid API key")
	case a.Session != 0 && !sessionValid(v, a):
		return nil, errs.NotLoggedIn()
	default:
		return u, nil
	}
}

// sessionValid reports whether an actor's session is still valid.
func sessionValid(v *directory.View, a user.Actor) bool {
	s := v.Session(a.Session)
	return s != nil && s.User == a.User
}
