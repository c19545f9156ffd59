package identities

import (
	"context"
	"slices"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/group"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/signin"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/ports"
)

// follow gives a user the role and the memberships that follow from the groups at the provider. Groups that the
// provider's configuration does not name stay as they are. It must be called inside Do.
func (s *service) follow(
	ctx context.Context, v *directory.View, u *user.User, p signin.Provider, id signin.Identity,
) error {
	ctx = context.WithValue(ctx, byProvider{}, true)
	server, groups := user.Actor{Realm: v.Realm().ID, System: true, Client: "Internal"}, id.Groups
	if p.Follow || p.FollowName {
		if err := s.rename(ctx, server, u, p, id); err != nil {
			return err
		}
	}
	if role := p.RoleFor(u.Role, groups); role != u.Role && !permission.LastOwner(v, u) {
		if err := s.Users.Amend(ctx, server, u.ID, ports.UserChange{Role: &role}); err != nil {
			return err
		}
	}
	if len(p.Groups) == 0 || s.Groups == nil {
		return nil
	}
	wanted := map[string]bool{}
	for at, name := range p.Groups {
		wanted[name] = wanted[name] || slices.Contains(groups, at)
	}
	byName := map[string]*group.Group{}
	for g := range v.Groups() {
		if _, mapped := wanted[g.Name]; mapped && !g.System && !g.Deactivated {
			byName[g.Name] = g
		}
	}
	for name, member := range wanted {
		g := byName[name]
		if g == nil || g.Members.Has(u.ID) == member {
			continue
		}
		var add, remove []user.ID
		if member {
			add = []user.ID{u.ID}
		} else {
			remove = []user.ID{u.ID}
		}
		if err := s.Groups.ChangeMembers(ctx, server, g.ID, add, remove); err != nil {
			return err
		}
	}
	return nil
}

// rename gives a user the name and, if it follows, the address at the provider, unless the organization's rules forbid
// them, or somebody else has them. It must be called inside Do.
func (s *service) rename(
	ctx context.Context, server user.Actor, u *user.User, p signin.Provider, id signin.Identity,
) error {
	changes := []ports.UserChange{}
	if name := id.FullName(); id.Name != "" && name != u.FullName {
		changes = append(changes, ports.UserChange{FullName: &name})
	}
	if p.Follow && id.Email != "" && id.Verified && user.EmailKey(id.Email) != user.EmailKey(u.DeliveryEmail) {
		changes = append(changes, ports.UserChange{Email: &id.Email})
	}
	for _, c := range changes {
		err := s.Users.Amend(ctx, server, u.ID, c)
		if errs.Is(err, errs.BadRequest) {
			s.Logger.WarnContext(ctx, "a user cannot have the name or address of the identity provider", "user", u.ID,
				"error", err)
			continue
		}
		if err != nil {
			return err
		}
	}
	return nil
}
