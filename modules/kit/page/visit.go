package page

import (
	"net/http"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/ports"
)

// Visit returns the view of the organization at the request's host, and the caller, whose User is 0 if the browser is
// not logged in. Errors: NotFound, NonexistentSubdomain, Unavailable.
func Visit(
	r *http.Request, views ports.Directory, realms ports.Realms, sessions ports.Sessions,
) (*directory.View, user.Actor, error) {
	ctx, by := r.Context(), Visitor(r)
	var err error
	if by.Realm, err = realms.Resolve(ctx, Host(r)); err == nil && by.Realm == 0 {
		err = errs.New(errs.NonexistentSubdomain, "There is no organization at this address.")
	}
	if err != nil {
		return nil, by, err
	}
	if cookie := SessionValue(r); cookie != "" {
		a, err := sessions.Session(ctx, by.Realm, cookie)
		switch {
		case err == nil:
			by.User, by.Role, by.Session = a.User, a.Role, a.Session
		case !errs.Is(err, errs.Unauthorized) && !errs.Is(err, errs.UserDeactivated):
			return nil, by, err
		}
	}
	v, err := views.View(ctx, by.Realm)
	if errs.Is(err, errs.NotFound) || err == nil && v.Realm() == nil {
		err = errs.New(errs.NonexistentSubdomain, "There is no organization at this address.")
	}
	if err == nil && v.Realm().Deactivated {
		err = errs.New(errs.NotFound, "This organization has been deactivated.")
	}
	return v, by, err
}
