package realm

import (
	"context"
	"maps"
	"slices"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/user"
)

// visibilityChanged publishes settings whose value is a channel to users who have gained or lost access to the channel.
// becameFullMembers may already have notified users who became full members by account age; they are notified again.
func (s *service) visibilityChanged(ctx context.Context, m *directory.Changed) error {
	return s.publishChannelSettings(ctx, m.After, func(id channel.ID) (user.Set, error) {
		some, all := affectedUsers(m, id)
		if len(some) == 0 && !all {
			return nil, nil
		}
		announced, _, err := s.Announced.Ask(ctx, permission.WaitingPeriod{Changed: m})
		if err != nil {
			return nil, err
		}
		return visibilityDiff(m.Before, m.After, id, some, all).
			Union(visibilityDiff(announced.View(m.Before), m.After, id, some, all)), nil
	})
}

// becameFullMembers publishes settings whose value is a private channel to new full members who can now see the
// channel.
func (s *service) becameFullMembers(ctx context.Context, m *permission.BecameFullMember) error {
	v := m.After
	return s.publishChannelSettings(ctx, v, func(id channel.ID) (user.Set, error) {
		c := v.Channel(id)
		if c == nil || !c.Private {
			return nil, nil
		}
		return m.Users.And(permission.SeeingChannel(v, c)).Minus(v.Subscribers(id)), nil
	})
}

// publishChannelSettings publishes each setting for which hidesChannel is true to the users that receivers returns for
// the setting's channel.
func (s *service) publishChannelSettings(
	ctx context.Context, v *directory.View, receivers func(channel.ID) (user.Set, error),
) error {
	r := v.Realm()
	if r == nil {
		return nil
	}
	var events []event.Event
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
		us, err := receivers(channel.ID(set.id))
		if err != nil {
			return err
		}
		if len(us) == 0 {
			continue
		}
		keys := map[string]any{set.name: set.id}
		if err := s.addAliases(ctx, keys); err != nil {
			return err
		}
		for _, key := range slices.Sorted(maps.Keys(keys)) {
			events = append(events, updated.To(r.ID, event.Each(us...), property{key, set.id}))
		}
	}
	return s.Log.Append(ctx, events...)
}

// affectedUsers returns the users for whom a change may reveal or hide a channel. If all is true, it may affect every
// user.
func affectedUsers(m *directory.Changed, id channel.ID) (some user.Set, all bool) {
	now := m.After.Channel(id)
	if now == nil || m.Before.Channel(id) == nil {
		return nil, false
	}
	for _, c := range m.Changes {
		switch {
		case c.Subs != nil && c.Subs.Channel == id:
			some = some.Union(c.Subs.Add).Union(c.Subs.Remove)
		case c.User != nil && c.User.Old != nil && c.User.New != nil &&
			(c.User.Old.Role != c.User.New.Role || !c.User.Old.Joined.Equal(c.User.New.Joined)):
			some = some.Union(user.Set{c.User.New.ID})
		case c.Channel != nil && c.Channel.New != nil && c.Channel.New.ID == id:
			all = true
		case c.Members != nil, c.Group != nil, c.Realm != nil && c.Realm.Old != nil && c.Realm.New != nil &&
			c.Realm.Old.Settings.WaitingPeriodThreshold != c.Realm.New.Settings.WaitingPeriodThreshold:
			all = all || now.Private // only private channels grant access through groups
		}
	}
	return some, all
}

// visibilityDiff returns the users who can see a channel in only one of two views, among the users in some or, if all
// is true, among all users.
func visibilityDiff(before, after *directory.View, id channel.ID, some user.Set, all bool) user.Set {
	old, now := before.Channel(id), after.Channel(id)
	if all {
		had, has := permission.SeeingChannel(before, old), permission.SeeingChannel(after, now)
		some = had.Minus(has).Union(has.Minus(had))
	}
	var out user.Set
	for _, u := range some.And(before.Active()).And(after.Active()) {
		if permission.SeesChannel(before, old, before.User(u)) != permission.SeesChannel(after, now, after.User(u)) {
			out = append(out, u)
		}
	}
	return out
}
