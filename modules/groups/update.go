package groups

import (
	"context"
	"maps"
	"strings"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/group"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/modules/kit"
)

type updateReq struct {
	Group       group.ID `json:"user_group_id"`
	Name        *string  `json:"name"`
	Description *string  `json:"description"`
	Deactivated *bool    `json:"deactivated"` // false reactivates; true is ignored
	settingsOf[group.Update]
}

// update handles PATCH /user_groups/{user_group_id}. It makes all of the changes or none. A group cannot be reactivated
// while one of its subgroups or a group that its permissions name is deactivated.
func (s *service) update(ctx context.Context, a kit.Actor, in updateReq) (kit.None, error) {
	asked := in.given()
	if in.Name == nil && in.Description == nil && in.Deactivated == nil && len(asked) == 0 {
		return kit.None{}, errs.Bad("No new data supplied")
	}
	return kit.None{}, s.Work.Do(ctx, func(ctx context.Context) error {
		v, old, err := s.find(ctx, a, in.Group)
		if err != nil {
			return err
		}
		if old.System || !a.System && !permission.Manages(v, old, a.User) {
			return denied()
		}
		now, data := *old, map[string]any{}
		if in.Name != nil && strings.TrimSpace(*in.Name) != old.Name { // names that predate the rules can be kept
			if now.Name, err = group.CheckName(*in.Name, v.NameKey); err != nil {
				return err
			}
			if err := checkNameFree(v, old.ID, now.Name); err != nil {
				return err
			}
			data["name"] = now.Name
		}
		if in.Description != nil && *in.Description != old.Description {
			if err := group.CheckDescription(*in.Description); err != nil {
				return err
			}
			now.Description = *in.Description
			data["description"] = now.Description
		}
		now.Deactivated = old.Deactivated && (in.Deactivated == nil || *in.Deactivated)
		after := v
		if back := now; back.Deactivated != old.Deactivated { // the group's permissions may name the group itself
			after = v.Apply(v.Seq(), directory.OfGroup(old, &back))
		}
		now.Permissions = maps.Clone(old.Permissions)
		for _, rule := range permission.Settings(group.OfGroup) {
			up, given := asked[rule.Name]
			if !given {
				continue
			}
			if err := permission.CheckUpdate(after, group.OfGroup, rule.Name, old.Permissions[rule.Name], up); err != nil {
				return err
			}
			if !up.New.Equal(old.Permissions[rule.Name]) {
				now.Permissions[rule.Name] = up.New.Normal()
				data[rule.Name] = up.New.Normal()
			}
		}
		if now.Deactivated != old.Deactivated {
			if err := s.checkBack(v, a); err != nil {
				return err
			}
			if err := permission.CheckNamed(after, group.OfGroup, now.Permissions); err != nil {
				return err
			}
			if err := permission.CheckSubgroups(after, now.Subgroups); err != nil {
				return err
			}
		}
		return s.save(ctx, a, v, old, &now, data)
	})
}

// save stores a changed group and publishes the changes. data holds the changed fields except deactivated.
func (s *service) save(
	ctx context.Context,
	a kit.Actor,
	v *directory.View,
	old, now *group.Group,
	data map[string]any,
) error {
	var entries []event.Event
	everyone, change := event.Everyone(), directory.OfGroup(old, now)
	// This event comes first, since clients without include_deactivated_groups need the group before other events about
	// it.
	if now.Deactivated != old.Deactivated {
		entries = append(
			entries,
			updated.To(a.Realm, everyone, groupUpdated{now.ID, map[string]any{"deactivated": now.Deactivated}}),
		)
		if now.Deactivated {
			entries = append(entries, removed.To(a.Realm, everyone, groupRemoved{Group: now.ID}))
		} else {
			entries = append(entries, added.To(a.Realm, everyone, groupAdded{recordOf(v.Apply(v.Seq(), change), now), true}))
		}
	}
	if len(data) > 0 {
		entries = append(entries, updated.To(a.Realm, everyone, groupUpdated{now.ID, data}))
	}
	if len(entries) == 0 {
		return nil
	}
	renamed := ""
	if now.Name != old.Name {
		renamed = v.NameKey(now.Name)
	}
	if err := s.store.Update(ctx, a.Realm, now, renamed); err != nil {
		return err
	}
	entries[0] = entries[0].Changing(change)
	return s.Log.Append(ctx, entries...)
}
