package realm

import (
	"context"
	"maps"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/group"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/setting"
	"github.com/stoachat/stoa/domain/user"
)

// archived resets settings when the channel that is their value is archived.
func (s *service) archived(ctx context.Context, m *channel.Changed) error {
	if m.Old.Archived || !m.New.Archived {
		return nil
	}
	v, err := s.Directory.View(ctx, m.Realm)
	if err != nil || v.Realm() == nil {
		return err
	}
	old, values, reset := v.Realm(), setting.Values(v.Realm().Settings), map[string]any{}
	for _, name := range channelSettings {
		if values[name] == int64(m.New.ID) {
			reset[name] = noChannel
		}
	}
	if len(reset) == 0 {
		return nil
	}
	now := *old
	if now.Settings, _, err = old.Settings.With(reset); err != nil {
		return err
	}
	if err := s.addAliases(ctx, reset); err != nil {
		return err
	}
	return s.save(ctx, old, &now, updatedDict.To(m.Realm, event.Everyone(), dict{"default", reset}))
}

// deactivated publishes the settings that list a deactivated user, because clients receive only active users in them.
func (s *service) deactivated(ctx context.Context, m *user.Deactivated) error {
	return s.publishListing(ctx, m.Realm, m.User, false)
}

// reactivated publishes the settings that list a reactivated user.
func (s *service) reactivated(ctx context.Context, m *user.Reactivated) error {
	return s.publishListing(ctx, m.Realm, m.User, true)
}

// publishListing publishes the group-valued settings that list a user who was deactivated or, if active is true,
// reactivated.
func (s *service) publishListing(ctx context.Context, r realm.ID, u user.ID, active bool) error {
	v, err := s.Directory.View(ctx, r)
	if err != nil || v.Realm() == nil {
		return err
	}
	data := map[string]any{}
	for name, value := range v.Realm().Settings.Groups {
		if value.Group != 0 || !value.Members.Has(u) {
			continue
		}
		seen := permission.Shown(v, value)
		if !active { // the view still includes the user
			seen = permission.Shown(v, group.Setting{Members: value.Members.Minus(user.Set{u}), Subgroups: value.Subgroups})
		}
		data[name] = seen
		maps.Copy(data, legacyKeys(name, seen))
	}
	if len(data) == 0 {
		return nil
	}
	return s.Log.Append(ctx, updatedDict.To(r, event.Everyone(), dict{"default", data}))
}
