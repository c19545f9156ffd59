package groups

import (
	"context"
	"slices"

	"github.com/stoachat/stoa/domain/declared"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/group"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
)

type groupReq struct {
	Group group.ID `json:"user_group_id"`
}

// deactivate handles POST /user_groups/{user_group_id}/deactivate. It returns an error if the group is in use, and does
// nothing if the group is already deactivated.
func (s *service) deactivate(ctx context.Context, a kit.Actor, in groupReq) (kit.None, error) {
	return kit.None{}, s.Work.Do(ctx, func(ctx context.Context) error {
		v, old, err := s.find(ctx, a, in.Group)
		if err != nil {
			return err
		}
		if old.System || !a.System && !permission.Manages(v, old, a.User) {
			return denied()
		}
		if old.Deactivated {
			return nil
		}
		if objections, used := usesOf(v, old.ID, v.User(a.User), false); used {
			return errs.New(errs.GroupInUse, "Cannot deactivate user group in use.").With("objections", objections)
		}
		now := *old
		now.Deactivated = true
		return s.save(ctx, a, v, old, &now, nil)
	})
}

// delete handles DELETE /user_groups/{user_group_id}. It deletes a deactivated group for good: its name is free again,
// and it no longer counts toward its creator's share. Archived channels and deactivated groups can be restored, so they
// must not use the group either. Errors: BadRequest, GroupInUse, UnauthorizedPrincipal.
func (s *service) delete(ctx context.Context, a kit.Actor, in groupReq) (kit.None, error) {
	return kit.None{}, s.Work.Do(ctx, func(ctx context.Context) error {
		v, old, err := s.find(ctx, a, in.Group)
		if err != nil {
			return err
		}
		if err := permission.CheckRole(v, a, user.Owner); err != nil {
			return err
		}
		if !old.Deactivated {
			return errs.Bad("Only deactivated user groups can be deleted. Deactivate the group first.")
		}
		if objections, used := usesOf(v, old.ID, v.User(a.User), true); used {
			return errs.New(errs.GroupInUse, "Cannot delete user group in use.").With("objections", objections)
		}
		if err := s.store.Delete(ctx, old.ID); err != nil {
			return err
		}
		e := removed.To(a.Realm, event.Everyone(), groupRemoved{Group: old.ID, Deleted: true})
		return s.Log.Append(ctx, e.Changing(directory.OfGroup(old, nil)))
	})
}

// usesOf returns the uses of a group, in wire format, and whether the group is in use. Channels that the reader
// cannot see count as uses but are not listed. Archived channels and deactivated groups are included on request.
func usesOf(v *directory.View, id group.ID, reader *user.User, inactive bool) (out []map[string]any, used bool) {
	out = []map[string]any{}
	set := declared.In(v)
	settings := settingsNaming(id, v.Realm().Settings.Groups, set.Groups(declared.OfRealm, 0))
	if len(settings) > 0 {
		out = append(out, map[string]any{"type": "realm", "settings": settings})
	}
	var above group.Set
	for g := range v.Groups() {
		if g.Deactivated && !inactive || g.ID == id {
			continue
		}
		if g.Subgroups.Has(id) {
			above = append(above, g.ID)
		}
		if settings := settingsNaming(id, g.Permissions); len(settings) > 0 {
			out = append(out, map[string]any{"type": "user_group", "group_id": g.ID, "settings": settings})
		}
	}
	if len(above) > 0 {
		out = append(out, map[string]any{"type": "subgroup", "supergroup_ids": above})
	}
	for c := range v.Channels() {
		settings := settingsNaming(id, c.Permissions, set.Groups(declared.OfChannel, int64(c.ID)))
		if len(settings) == 0 || c.Archived && !inactive {
			continue
		}
		used = true
		if permission.SeesChannel(v, c, reader) {
			out = append(out, map[string]any{"type": "channel", "channel_id": c.ID, "settings": settings})
		}
	}
	return out, used || len(out) > 0
}

// settingsNaming returns the names of the settings whose values refer to a group.
func settingsNaming(id group.ID, all ...map[string]group.Setting) []string {
	var out []string
	for _, settings := range all {
		for name, value := range settings {
			if value.Groups().Has(id) {
				out = append(out, name)
			}
		}
	}
	slices.Sort(out)
	return out
}
