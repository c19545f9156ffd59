package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/stoachat/stoa/app/internal/server"
	"github.com/stoachat/stoa/domain/realm"
)

// organization selects the organization that a command is about. All such commands embed it. It need not be given while
// the server has only one organization.
type organization struct {
	Subdomain *string `placeholder:"NAME" help:"Subdomain of the organization, if there are several; '' selects the one at the root domain."`
	RealmID   int64   `name:"realm-id" placeholder:"ID" help:"ID of the organization, if there are several."`
}

// inRealm runs fn with a started server and the selected organization.
func (e *env) inRealm(o organization, fn func(*server.Server, *realm.Realm) error) error {
	if o.Subdomain != nil && o.RealmID != 0 {
		return errors.New("select the organization with --subdomain or --realm-id, but not with both")
	}
	return e.with(func(s *server.Server) error {
		all, err := s.Ports.Realms.All(e.ctx)
		if err != nil {
			return err
		}
		if len(all) == 0 {
			return e.noOrganization()
		}
		r, err := o.find(e, s.Ports, all)
		if err != nil {
			return err
		}
		v, err := s.Ports.Directory.Verified(e.ctx, r)
		if err != nil {
			return err
		}
		return fn(s, v.Realm())
	})
}

// find returns the selected one of all organizations.
func (o organization) find(e *env, p server.Ports, all []realm.ID) (realm.ID, error) {
	switch {
	case o.Subdomain != nil:
		return o.bySubdomain(e, p, all)
	case o.RealmID == 0 && len(all) == 1:
		return all[0], nil
	case o.RealmID == 0:
		return 0, ambiguous(e, p, all)
	}
	for _, r := range all {
		if int64(r) == o.RealmID {
			return r, nil
		}
	}
	return 0, fmt.Errorf("--realm-id: there is no realm %d; see %s", o.RealmID, e.command("realm list"))
}

func (o organization) bySubdomain(e *env, p server.Ports, all []realm.ID) (realm.ID, error) {
	var names []string
	for _, r := range all {
		v, err := p.Directory.Verified(e.ctx, r)
		if err != nil {
			return 0, err
		}
		name := v.Realm().StringID
		if strings.EqualFold(*o.Subdomain, name) {
			return r, nil
		}
		names = append(names, name)
	}
	return 0, fmt.Errorf("--subdomain: there is no realm %q%s", *o.Subdomain, e.suggest(*o.Subdomain, names, "realm list"))
}

// maxNamed is the maximum number of organizations that an error names.
const maxNamed = 10

// ambiguous returns the error for a command that does not select one of several organizations. It names them with the
// flags that select them.
func ambiguous(e *env, p server.Ports, all []realm.ID) error {
	var choices []string
	for _, r := range all[:min(len(all), maxNamed)] {
		v, err := p.Directory.Verified(e.ctx, r)
		if err != nil {
			return err
		}
		choices = append(choices, fmt.Sprintf("--realm-id %d (%s)", r, v.Realm().Settings.Name))
	}
	more := ""
	if n := len(all) - len(choices); n > 0 {
		more = fmt.Sprintf(" or one of %d others, see %s", n, e.command("realm list"))
	}
	return fmt.Errorf("there are several organizations; select one with --subdomain or --realm-id: %s%s",
		strings.Join(choices, ", "), more)
}
