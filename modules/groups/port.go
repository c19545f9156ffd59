package groups

import (
	"context"

	"github.com/stoachat/stoa/domain/group"
	"github.com/stoachat/stoa/domain/idset"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

// port implements [ports.Groups] for the actors that the routes admit.
type port struct{ s *service }

func (p port) Create(ctx context.Context, by user.Actor, g ports.NewGroup) (group.ID, error) {
	if err := p.admit(ctx, by); err != nil {
		return 0, err
	}
	res, err := p.s.create(ctx, by, createReq{Name: g.Name, Description: g.Description, Members: g.Members})
	return res.Group, err
}

func (p port) ChangeMembers(ctx context.Context, by user.Actor, id group.ID, add, remove []user.ID) error {
	if err := p.admit(ctx, by); err != nil {
		return err
	}
	return p.s.change(ctx, by, id, memberChanges{add: idset.Of(add...), drop: idset.Of(remove...)})
}

func (p port) Rename(ctx context.Context, by user.Actor, id group.ID, name string) error {
	if err := p.admit(ctx, by); err != nil {
		return err
	}
	_, err := p.s.update(ctx, by, updateReq{Group: id, Name: &name})
	return err
}

func (p port) Delete(ctx context.Context, by user.Actor, id group.ID) error {
	return p.s.Work.Do(ctx, func(ctx context.Context) error {
		v, g, err := p.s.find(ctx, by, id)
		if err != nil {
			return err
		}
		if err := permission.CheckRole(v, by, user.Owner); err != nil {
			return err
		}
		if !g.Deactivated {
			if _, err := p.s.deactivate(ctx, by, groupReq{id}); err != nil {
				return err
			}
		}
		_, err = p.s.delete(ctx, by, groupReq{id})
		return err
	})
}

func (p port) admit(ctx context.Context, by user.Actor) error {
	v, err := p.s.Directory.View(ctx, by.Realm)
	if err != nil {
		return err
	}
	return kit.Members.Check(v, by)
}
