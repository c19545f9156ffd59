package profilefields

import (
	"context"
	"reflect"
	"slices"

	"github.com/stoachat/stoa/domain/audit"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/profilefield"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

type updateReq struct {
	ID profilefield.ID `json:"field_id"`
	attributes
}

// update handles PATCH /realm/profile_fields/{field_id}. It clears values whose option was removed and notifies viewers
// of that before it publishes the new options. Errors: BadRequest, UnauthorizedPrincipal.
func (s *service) update(ctx context.Context, a kit.Actor, in updateReq) (kit.None, error) {
	return kit.None{}, s.Work.Do(ctx, func(ctx context.Context) error {
		v, all, err := s.fields(ctx, a)
		if err != nil {
			return err
		}
		old := profilefield.Find(all, in.ID)
		if old == nil {
			return profilefield.ErrNotFound(in.ID)
		}
		now, err := in.changed(old)
		if err != nil {
			return err
		}
		if err := profilefield.CheckConflicts(all, &now, v.NameKey); err != nil {
			return err
		}
		if reflect.DeepEqual(*old, now) {
			return nil
		}
		if removed := profilefield.Removed(old.Data, now.Data); len(removed) > 0 {
			us, err := s.rows.ClearValues(ctx, a.Realm, old.ID, func(text string) bool { return slices.Contains(removed, text) })
			if err != nil {
				return err
			}
			if err := s.publishCleared(ctx, v, old.ID, us); err != nil {
				return err
			}
		}
		if err := s.rows.Update(ctx, a.Realm, &now); err != nil {
			return err
		}
		return s.publish(ctx, a, audit.Changed(
			a.Realm, audit.FieldChanged, audit.To(audit.ProfileField, now.ID), old.Record(), now.Record()))
	})
}

// changed returns the field with the requested changes. Errors: BadRequest.
func (in updateReq) changed(old *profilefield.Field) (profilefield.Field, error) {
	now, err := in.applyTo(*old)
	if err != nil {
		return now, err
	}
	if old.Preset() && (now.Name != old.Name || now.Hint != old.Hint || !now.Data.Equal(old.Data)) {
		return now, errs.Bad("Default custom field cannot be updated.")
	}
	return now.Check(old.Name)
}

type removeReq struct {
	ID profilefield.ID `json:"field_id"`
}

// remove handles DELETE /realm/profile_fields/{field_id}. It sends no events for the values, since clients drop them
// with the field. Errors: BadRequest, UnauthorizedPrincipal.
func (s *service) remove(ctx context.Context, a kit.Actor, in removeReq) (kit.None, error) {
	return kit.None{}, s.Work.Do(ctx, func(ctx context.Context) error {
		_, all, err := s.fields(ctx, a)
		if err != nil {
			return err
		}
		old := profilefield.Find(all, in.ID)
		if old == nil {
			return profilefield.ErrNotFound(in.ID)
		}
		if _, err := s.rows.ClearValues(ctx, a.Realm, in.ID, func(string) bool { return true }); err != nil {
			return err
		}
		if err := s.rows.Delete(ctx, a.Realm, in.ID); err != nil {
			return err
		}
		return s.publish(ctx, a, audit.Changed(
			a.Realm, audit.FieldRemoved, audit.To(audit.ProfileField, in.ID), old.Record(), nil))
	})
}

// perEntry is the maximum number of users per log entry.
const perEntry = 500

// publishCleared notifies viewers that users no longer have a value in a field.
func (s *service) publishCleared(ctx context.Context, v *directory.View, id profilefield.ID, us []user.ID) error {
	if len(us) == 0 {
		return nil
	}
	var entries []event.Event
	for _, same := range groupByViewers(v, us) {
		for part := range slices.Chunk(same, perEntry) {
			changes := make([]ports.UserUpdate, len(part))
			for i, u := range part {
				changes[i] = valueUpdate(u, id, nil)
			}
			entries = append(entries, s.Updates.Updated(v.Realm().ID, event.Seeing(part[0]), changes...))
		}
	}
	return s.Log.Append(ctx, entries...)
}

// groupByViewers groups users that are visible to the same viewers. Usually there is one group, since only the view of
// guests can be restricted.
func groupByViewers(v *directory.View, us []user.ID) [][]user.ID {
	if !permission.Restricts(v) {
		return [][]user.ID{us}
	}
	guests := v.WithRole(user.Guest)
	group, at := [][]user.ID(nil), map[string]int{}
	for _, u := range us {
		key := make([]byte, len(guests))
		for i, g := range guests {
			if permission.Sees(v, v.User(g), u) {
				key[i] = 1
			}
		}
		i, known := at[string(key)]
		if !known {
			i = len(group)
			at[string(key)] = i
			group = append(group, nil)
		}
		group[i] = append(group[i], u)
	}
	return group
}
