package realm

import (
	"context"
	"maps"
	"slices"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

// noticed tells who has come to know of a channel that a setting names, or knows of it no more, what the setting is to them now.
func (s *service) noticed(ctx context.Context, m *directory.Changed) error {
	r := m.After.Realm()
	if r == nil {
		return nil
	}
	var told []event.Event
	for _, set := range []struct {
		name string
		id   int64
	}{
		{"new_stream_announcements_stream_id", r.Settings.NewStreamAnnouncementsStream},
		{"signup_announcements_stream_id", r.Settings.SignupAnnouncementsStream},
		{"service_update_announcements_stream_id", r.Settings.ServiceUpdateAnnouncementsStream},
	} {
		if set.id == noChannel {
			continue
		}
		who := noticing(m, channel.ID(set.id))
		if len(who) == 0 {
			continue
		}
		keys := map[string]any{set.name: set.id}
		if err := s.Hooks.Run(ctx, &realm.Describing{Keys: keys}); err != nil {
			return err
		}
		for _, key := range slices.Sorted(maps.Keys(keys)) {
			told = append(told, updated.To(m.Realm, event.Each(who...), property{key, set.id}))
		}
	}
	return s.Log.Append(ctx, told...)
}

// noticing gives those who have come to know of a channel, or know of it no more. Who becomes a full member by time alone is told
// when they ask again.
func noticing(m *directory.Changed, id channel.ID) user.Set {
	old, now := m.Before.Channel(id), m.After.Channel(id)
	if old == nil || now == nil {
		return nil
	}
	var some user.Set
	all := false
	for _, c := range m.Changes {
		switch {
		case c.Subs != nil && c.Subs.Channel == id:
			some = some.Union(c.Subs.Add).Union(c.Subs.Remove)
		case c.User != nil && c.User.Old != nil && c.User.New != nil && c.User.Old.Role != c.User.New.Role:
			some = some.Union(user.Set{c.User.New.ID})
		case c.Channel != nil && c.Channel.New != nil && c.Channel.New.ID == id:
			all = true
		case c.Members != nil, c.Group != nil, c.Realm != nil && c.Realm.Old != nil && c.Realm.New != nil &&
			c.Realm.Old.Settings.WaitingPeriodThreshold != c.Realm.New.Settings.WaitingPeriodThreshold:
			all = all || now.Private // groups are let into private channels alone
		}
	}
	if all {
		had, has := permission.Knowing(m.Before, old), permission.Knowing(m.After, now)
		some = had.Minus(has).Union(has.Minus(had))
	}
	var out user.Set
	for _, u := range some.And(m.Before.Active()).And(m.After.Active()) {
		if permission.KnowsOf(m.Before, old, m.Before.User(u)) != permission.KnowsOf(m.After, now, m.After.User(u)) {
			out = append(out, u)
		}
	}
	return out
}
