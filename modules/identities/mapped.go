package identities

import (
	"context"
	"slices"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/group"
	"github.com/stoachat/stoa/domain/signin"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/ports"
)

// follow gives a user the role and the memberships that follow from the groups at the provider. Groups that the
// provider's configuration does not name stay as they are. It must be called inside Do.
func (s *service) follow(
	ctx context.Context, v *directory.View, u *user.User, p signin.Provider, groups []string,
) error {
	server := user.Actor{Realm: v.Realm().ID, System: true, Client: "Internal"}
	if role := p.RoleFor(u.Role, groups); role != u.Role && !lastOwner(v, u) {
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

// lastOwner reports whether a user is the only active owner, whom no provider demotes.
func lastOwner(v *directory.View, u *user.User) bool {
	if u.Role != user.Owner {
		return false
	}
	for _, id := range v.WithRole(user.Owner) {
		if other := v.User(id); id != u.ID && other != nil && other.Active && !other.IsBot() {
			return false
		}
	}
	return true
}
