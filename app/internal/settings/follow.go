package settings

import (
	"context"
	"encoding/json"
	"maps"
	"slices"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/declared"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/group"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

// profileDeleted deletes a user's personal settings.
func (s *service) profileDeleted(ctx context.Context, m *user.ProfileDeleted) error {
	v, err := s.Directory.View(ctx, m.Realm)
	if err != nil {
		return err
	}
	if err := s.store.forget(ctx, m.Realm, m.User.ID); err != nil { // also those of modules that were left out
		return err
	}
	state, at := declared.In(v), ofUser(m.User.ID)
	var events []event.Event
	for _, one := range state.All(declared.OfUser) {
		set := state.Set(one, at.id)
		if set == nil {
			continue
		}
		old, err := json.Marshal(set)
		if err != nil {
			return err
		}
		e, err := at.event(v, m.Realm, one, one.Default)
		if err != nil {
			return err
		}
		c := declared.Change{Key: one.Key, ID: at.id, Old: old}
		events = append(events, e.Changing(declared.Shared.Change(c)))
	}
	return s.Log.Append(ctx, events...)
}

// deactivated publishes the permissions that list a deactivated user, because clients receive only active users in
// them.
func (s *service) deactivated(ctx context.Context, m *user.Deactivated) error {
	return s.publishListing(ctx, m.Realm, m.User, false)
}

// reactivated publishes the permissions that list a reactivated user.
func (s *service) reactivated(ctx context.Context, m *user.Reactivated) error {
	return s.publishListing(ctx, m.Realm, m.User, true)
}

func (s *service) publishListing(ctx context.Context, r realm.ID, u user.ID, active bool) error {
	v, err := s.Directory.View(ctx, r)
	if err != nil {
		return err
	}
	state := declared.In(v)
	var events []event.Event
	for _, of := range []declared.Scope{declared.OfRealm, declared.OfChannel} {
		for _, one := range state.All(of) {
			for id, value := range state.Each(one) {
				lists, ok := value.(group.Setting)
				if !ok || !lists.Members.Has(u) {
					continue
				}
				if !active { // the view still includes the user
					lists.Members = lists.Members.Minus(user.Set{u})
				}
				at := place{of, id, event.Everyone()}
				if of == declared.OfChannel {
					at.to = event.SeeingChannel(channel.ID(id))
				}
				e, err := at.event(v, r, one, lists)
				if err != nil {
					return err
				}
				events = append(events, e)
			}
		}
	}
	return s.Log.Append(ctx, events...)
}

// directoryChanged sends the settings of a channel to users who can see it from now on, and the public ones of users to
// guests who can see these.
func (s *service) directoryChanged(ctx context.Context, m *directory.Changed) error {
	if err := s.introduced(ctx, m); err != nil {
		return err
	}
	if len(declared.In(m.After).All(declared.OfChannel)) == 0 {
		return nil
	}
	gained := map[channel.ID]user.Set{}
	for _, x := range permission.VisibilityChanges(m.Before, m.After, m.Changes) {
		gained[x.Channel.ID] = x.Gained
	}
	for _, c := range m.Changes {
		var id channel.ID
		switch {
		case c.Subs != nil:
			id = c.Subs.Channel
		case c.Channel != nil && c.Channel.Old != nil && c.Channel.New != nil:
			id = c.Channel.New.ID
		}
		if old := m.Before.Channel(id); old != nil {
			now := permission.SeeingChannel(m.After, m.After.Channel(id))
			gained[id] = gained[id].Union(now.Minus(permission.SeeingChannel(m.Before, old)))
		}
	}
	var events []event.Event
	for _, id := range slices.Sorted(maps.Keys(gained)) {
		if len(gained[id]) == 0 {
			continue
		}
		some, err := valuesOf(m.After, m.Realm, id, gained[id])
		if err != nil {
			return err
		}
		events = append(events, some...)
	}
	return s.Log.Append(ctx, events...)
}

// introduced sends the public settings of users to guests who can see them from now on.
func (s *service) introduced(ctx context.Context, m *directory.Changed) error {
	state := declared.In(m.After)
	var events []event.Event
	for _, one := range state.All(declared.OfUser) {
		if !one.Public {
			continue
		}
		for _, c := range permission.VisibilityGroups(m) {
			for _, u := range c.Gained {
				set := state.Set(one, int64(u))
				if set == nil {
					continue
				}
				at := place{declared.OfUser, int64(u), event.Each(c.Guests...)}
				e, err := at.event(m.After, m.Realm, one, set)
				if err != nil {
					return err
				}
				events = append(events, e)
			}
		}
	}
	return s.Log.Append(ctx, events...)
}

// valuesOf returns events with all settings of a channel that are not the default.
func valuesOf(v *directory.View, r realm.ID, c channel.ID, to user.Set) ([]event.Event, error) {
	state, at := declared.In(v), place{declared.OfChannel, int64(c), event.Each(to...)}
	var events []event.Event
	for _, one := range state.All(at.of) {
		if set := state.Set(one, at.id); set != nil {
			e, err := at.event(v, r, one, set)
			if err != nil {
				return nil, err
			}
			events = append(events, e)
		}
	}
	return events, nil
}
