package cli

import (
	"errors"

	"github.com/stoachat/stoa/app/internal/server"
)

// organization selects the organization that a command is about. All such commands embed it. It need not be given while
// the server has only one organization.
type organization struct {
	Realm     *string `placeholder:"NAME" help:"Subdomain or ID of the organization, if there are several; '' selects the one at the root domain."`
	Subdomain *string `hidden:"" placeholder:"NAME" help:"Subdomain of the organization."`
	RealmID   int64   `hidden:"" name:"realm-id" placeholder:"ID" help:"ID of the organization."`
}

// selected returns the selection for the server.
func (o organization) selected() (server.Organization, error) {
	given := 0
	for _, is := range []bool{o.Realm != nil, o.Subdomain != nil, o.RealmID != 0} {
		if is {
			given++
		}
	}
	if given > 1 {
		return server.Organization{}, codedError{errors.New("select the organization only once, with --realm"), usage}
	}
	return server.Organization{Realm: o.Realm, Subdomain: o.Subdomain, ID: o.RealmID}, nil
}
