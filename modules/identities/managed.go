package identities

import (
	"context"
	"slices"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/signin"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

// byProvider marks the context of changes that follow from what a provider says.
type byProvider struct{}

// kept is the hook that refuses changes by hand of what a provider manages, which the next login would undo. Changes by
// the operator, and by modules that act for the server, have no caller.
func (s *service) kept(ctx context.Context, m *directory.Changed) error {
	if _, byHand := ports.Caller(ctx); !byHand || ctx.Value(byProvider{}) != nil {
		return nil
	}
	for _, c := range m.Changes {
		var err error
		switch {
		case c.User != nil && c.User.Old != nil && c.User.New != nil:
			err = s.keepUser(ctx, m.Realm, c.User.Old, c.User.New)
		case c.Members != nil:
			err = s.keepMembers(ctx, m.Realm, c.Members)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *service) keepUser(ctx context.Context, r realm.ID, old, now *user.User) error {
	renamed := old.FullName != now.FullName && now.FullName != user.DeletedName // the profile can always be deleted
	moved := old.DeliveryEmail != now.DeliveryEmail
	if !renamed && !moved && old.Role == now.Role || !now.Active {
		return nil
	}
	all, err := s.managers(ctx, r, old.ID)
	if err != nil {
		return err
	}
	for _, p := range all {
		switch {
		case renamed && p.ManagesName():
			return errs.Bad("This account is managed by %s. Change its name there.", p.Name)
		case moved && p.Follow:
			return errs.Bad("This account is managed by %s. Change its address there.", p.Name)
		case old.Role != now.Role && p.ManagesRole(old.Role, now.Role):
			return errs.Bad("This account is managed by %s. Change its role there.", p.Name)
		}
	}
	return nil
}

func (s *service) keepMembers(ctx context.Context, r realm.ID, m *directory.Members) error {
	v, err := s.Directory.View(ctx, r)
	if err != nil {
		return err
	}
	g := v.Group(m.Group)
	if g == nil || g.System {
		return nil
	}
	all, err := s.managers(ctx, r, slices.Concat(m.Add, m.Remove)...)
	if err != nil {
		return err
	}
	for _, p := range all {
		if p.ManagesGroup(g.Name) {
			return errs.Bad("%s says who is in this user group. Change it there.", p.Name)
		}
	}
	return nil
}

// managers returns the providers that any of some users are connected to, as far as they are configured.
func (s *service) managers(ctx context.Context, r realm.ID, us ...user.ID) ([]signin.Provider, error) {
	all, err := s.rows.ProvidersOf(ctx, us...)
	if err != nil {
		return nil, err
	}
	var out []signin.Provider
	for _, id := range all {
		answers, err := s.Manages.Ask(ctx, signin.Manages{Realm: r, Provider: id})
		if err != nil {
			return nil, err
		}
		for _, p := range answers {
			if p.ID != "" {
				out = append(out, p)
			}
		}
	}
	return out, nil
}

type managedReq struct {
	User user.ID `json:"user_id"`
}

type managedRes struct {
	By     string   `json:"managed_by" doc:"The name of the identity provider that manages the account; empty: none does."`
	Fields []string `json:"managed_fields" doc:"What people cannot change: full_name, email and role."`
}

// managed handles GET /stoa/identities/users/{user_id}. Errors: BadRequest, UnauthorizedPrincipal.
func (s *service) managed(ctx context.Context, a kit.Actor, in managedReq) (managedRes, error) {
	v, err := kit.AdminView(ctx, s.Directory, a)
	if err != nil {
		return managedRes{}, err
	}
	out, u := managedRes{Fields: []string{}}, v.User(in.User)
	if u == nil {
		return out, errs.Bad("No such user")
	}
	all, err := s.managers(ctx, a.Realm, u.ID)
	for _, p := range all {
		if fields := p.Managed(u.Role); len(fields) > len(out.Fields) {
			out.By, out.Fields = p.Name, fields
		}
	}
	return out, err
}
