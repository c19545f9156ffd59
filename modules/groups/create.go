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

// settingsOf holds the six permissions of a group, either as values or as updates.
type settingsOf[T any] struct {
	CanAdd     *T `json:"can_add_members_group"`
	CanJoin    *T `json:"can_join_group"`
	CanLeave   *T `json:"can_leave_group"`
	CanManage  *T `json:"can_manage_group"`
	CanMention *T `json:"can_mention_group"`
	CanRemove  *T `json:"can_remove_members_group"`
}

// given returns the permissions contained in the request, by wire name.
func (s settingsOf[T]) given() map[string]T {
	out := map[string]T{}
	for name, p := range map[string]*T{
		"can_add_members_group": s.CanAdd, "can_join_group": s.CanJoin, "can_leave_group": s.CanLeave,
		"can_manage_group": s.CanManage, "can_mention_group": s.CanMention, "can_remove_members_group": s.CanRemove,
	} {
		if p != nil {
			out[name] = *p
		}
	}
	return out
}

type createReq struct {
	Name        string      `json:"name"`
	Description string      `json:"description"`
	Members     []user.ID   `json:"members"`
	Subgroups   *[]group.ID `json:"subgroups"`
	settingsOf[group.Setting]
}

type createRes struct {
	Group group.ID `json:"group_id"`
}

func (s *service) create(ctx context.Context, a kit.Actor, in createReq) (createRes, error) {
	if err := group.CheckDescription(in.Description); err != nil {
		return createRes{}, err
	}
	return kit.Tx(ctx, s.Work, func(ctx context.Context) (createRes, error) {
		v, err := s.Directory.View(ctx, a.Realm)
		if err != nil {
			return createRes{}, err
		}
		if !a.System && !permission.Holds(v, a.User, "can_create_groups") {
			return createRes{}, denied()
		}
		name, err := group.CheckName(in.Name, v.NameKey)
		if err != nil {
			return createRes{}, err
		}
		if err := checkNameFree(v, 0, name); err != nil {
			return createRes{}, err
		}
		if err := s.checkNew(v, a); err != nil {
			return createRes{}, err
		}
		g := &group.Group{
			Name: name, Description: in.Description, Creator: a.User, Created: s.Clock.Now(), Members: idset.Of(in.Members...),
			Permissions: map[string]group.Setting{},
		}
		if in.Subgroups != nil {
			g.Subgroups = idset.Of(*in.Subgroups...)
		}
		if err := checkMembers(v, g.Members); err != nil {
			return createRes{}, err
		}
		if err := checkSubgroups(v, 0, g.Subgroups); err != nil {
			return createRes{}, err
		}
		asked := in.given()
		for _, rule := range permission.Settings(group.OfGroup) {
			value, given := asked[rule.Name]
			if !given {
				value = permission.Default(rule, a.User)
			} else if err := permission.CheckSetting(v, group.OfGroup, rule.Name, value); err != nil {
				return createRes{}, err
			}
			g.Permissions[rule.Name] = value.Normal()
		}
		if err := s.store.Insert(ctx, a.Realm, g, v.NameKey(g.Name)); err != nil {
			return createRes{}, err
		}
		e := added.To(a.Realm, event.Everyone(), groupAdded{Group: recordOf(v.Apply(v.Seq(), directory.OfGroup(nil, g)), g)})
		return createRes{g.ID}, s.Log.Append(ctx, e.Changing(directory.OfGroup(nil, g)))
	})
}

func denied() error { return errs.Bad("Insufficient permission") }

// checkNameFree checks that no other group, active or deactivated, has the name. Errors: BadRequest.
func checkNameFree(v *directory.View, id group.ID, name string) error {
	key := v.NameKey(name)
	for g := range v.Groups() {
		if g.ID != id && v.NameKey(g.Name) == key {
			return taken(name)
		}
	}
	return nil
}

// checkMembers checks that all users exist and are active. Errors: BadRequest.
func checkMembers(v *directory.View, us user.Set) error {
	for _, id := range us {
		u := v.User(id)
		switch {
		case u == nil || u.System:
			return errs.Bad("Invalid user ID: %d", id)
		case !u.Active:
			return errs.Bad("User with ID %d is deactivated", id)
		}
	}
	return nil
}

// checkSubgroups checks that subgroups can be added to a group: that they do not exceed the limit, exist, are active,
// and do not contain the group itself. A new group (ID 0) has no parents. Errors: BadRequest.
func checkSubgroups(v *directory.View, id group.ID, subs group.Set) error {
	var above group.Set
	held := subs
	if id != 0 && len(subs) > 0 {
		above, held = v.Above(group.Set{id}), v.Group(id).Subgroups.Union(subs)
	}
	if len(held) > group.MaxSubgroups {
		return errs.Bad("A group can have at most %d subgroups.", group.MaxSubgroups)
	}
	for _, sub := range subs {
		g := v.Group(sub)
		switch {
		case g == nil:
			return errs.Bad("Invalid user group ID: %d", sub)
		case g.Deactivated:
			return errs.Bad("User group is deactivated.")
		case above.Has(sub):
			return errs.Bad("User group %d is already a subgroup of one of the passed subgroups.", id)
		}
	}
	return nil
}
