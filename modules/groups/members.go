package groups

import (
	"context"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/group"
	"github.com/stoachat/stoa/domain/idset"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
)

type changeMembersReq struct {
	Group           group.ID    `json:"user_group_id"`
	Add             *[]user.ID  `json:"add"`
	Delete          *[]user.ID  `json:"delete"`
	AddSubgroups    *[]group.ID `json:"add_subgroups"`
	DeleteSubgroups *[]group.ID `json:"delete_subgroups"`
}

// changeMembers handles POST /user_groups/{user_group_id}/members. It makes all of the changes or none.
func (s *service) changeMembers(ctx context.Context, a kit.Actor, in changeMembersReq) (kit.None, error) {
	return kit.None{}, s.change(
		ctx,
		a,
		in.Group,
		memberChanges{set(in.Add), set(in.Delete), set(in.AddSubgroups), set(in.DeleteSubgroups)},
	)
}

type changeSubgroupsReq struct {
	Group  group.ID    `json:"user_group_id"`
	Add    *[]group.ID `json:"add"`
	Delete *[]group.ID `json:"delete"`
}

func (s *service) changeSubgroups(ctx context.Context, a kit.Actor, in changeSubgroupsReq) (kit.None, error) {
	return kit.None{}, s.change(ctx, a, in.Group, memberChanges{addSubs: set(in.Add), dropSubs: set(in.Delete)})
}

// memberChanges holds the requested changes of a group's members and subgroups.
type memberChanges struct {
	add, drop         user.Set
	addSubs, dropSubs group.Set
}

func set[T ~int64](ids *[]T) idset.Set[T] {
	if ids == nil {
		return nil
	}
	return idset.Of(*ids...)
}

func (s *service) change(ctx context.Context, a kit.Actor, id group.ID, w memberChanges) error {
	if len(w.add)+len(w.drop)+len(w.addSubs)+len(w.dropSubs) == 0 {
		return errs.Bad(`Nothing to do. Specify at least one of "add", "delete", "add_subgroups" or "delete_subgroups".`)
	}
	return s.Work.Do(ctx, func(ctx context.Context) error {
		v, old, err := s.find(ctx, a, id)
		if err != nil {
			return err
		}
		if old.System || !a.System && !w.allowed(v, old, a.User) {
			return denied()
		}
		if err := w.check(v, old, a.System); err != nil {
			return err
		}
		return s.storeChanges(ctx, a, old, w)
	})
}

// allowed reports whether u may make all of the changes to a group that is not the server's.
func (w memberChanges) allowed(v *directory.View, g *group.Group, u user.ID) bool {
	self := user.Set{u}
	switch {
	case len(w.add.Minus(self)) > 0 || len(w.addSubs) > 0:
		if !permission.AddsTo(v, g, u) {
			return false
		}
	case len(w.add) > 0 && !permission.Joins(v, g, u):
		return false
	}
	switch {
	case len(w.dropSubs) > 0:
		return permission.Manages(v, g, u)
	case len(w.drop.Minus(self)) > 0:
		return permission.RemovesFrom(v, g, u)
	case len(w.drop) > 0:
		return permission.Leaves(v, g, u)
	}
	return true
}

// check checks that each change is possible and not yet in effect. Only the server removes users who are deactivated,
// because it follows a directory. Errors: BadRequest.
func (w memberChanges) check(v *directory.View, g *group.Group, server bool) error {
	named := w.add
	if !server {
		named = named.Union(w.drop)
	}
	if err := checkMembers(v, named); err != nil {
		return err
	}
	if again := w.add.And(g.Members); len(again) > 0 {
		return errs.Bad("User %d is already a member of this group", again[0])
	}
	if none := w.drop.Minus(g.Members); len(none) > 0 {
		return errs.Bad("There is no member '%d' in this user group", none[0])
	}
	if again := w.addSubs.And(g.Subgroups); len(again) > 0 {
		return errs.Bad("User group %d is already a subgroup of this group.", again[0])
	}
	if none := w.dropSubs.Minus(g.Subgroups); len(none) > 0 {
		return errs.Bad("User group %d is not a subgroup of this group.", none[0])
	}
	return checkSubgroups(v, g.ID, w.addSubs)
}

// storeChanges stores the changes and appends their events.
func (s *service) storeChanges(ctx context.Context, a kit.Actor, old *group.Group, w memberChanges) error {
	r, everyone := a.Realm, event.Everyone()
	if err := s.store.AddMembers(ctx, r, old.ID, w.add); err != nil {
		return err
	}
	if err := s.store.RemoveMembers(ctx, old.ID, w.drop); err != nil {
		return err
	}
	if err := s.store.AddSubgroups(ctx, r, old.ID, w.addSubs); err != nil {
		return err
	}
	if err := s.store.RemoveSubgroups(ctx, old.ID, w.dropSubs); err != nil {
		return err
	}
	var entries []event.Event
	if len(w.add) > 0 {
		entries = append(entries, membersAdded.To(r, everyone, memberChange{old.ID, w.add}).
			Changing(directory.Change{Members: &directory.Members{Group: old.ID, Add: w.add}}))
	}
	if len(w.drop) > 0 {
		entries = append(entries, membersRemoved.To(r, everyone, memberChange{old.ID, w.drop}).
			Changing(directory.Change{Members: &directory.Members{Group: old.ID, Remove: w.drop}}))
	}
	now := *old
	now.Subgroups = old.Subgroups.Union(w.addSubs)
	if len(w.addSubs) > 0 {
		entries = append(
			entries,
			subgroupsAdded.To(r, everyone, subgroupChange{old.ID, w.addSubs}).Changing(directory.OfGroup(old, &now)),
		)
	}
	if len(w.dropSubs) > 0 {
		rest := now
		rest.Subgroups = now.Subgroups.Minus(w.dropSubs)
		entries = append(
			entries,
			subgroupsRemoved.To(r, everyone, subgroupChange{old.ID, w.dropSubs}).Changing(directory.OfGroup(&now, &rest)),
		)
	}
	if err := s.Log.Append(ctx, entries...); err != nil {
		return err
	}
	return s.Hooks.Run(ctx, &group.MembersChanged{Realm: r, By: a, Group: old, Added: w.add, Removed: w.drop})
}
