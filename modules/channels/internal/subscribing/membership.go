package subscribing

import (
	"context"
	"slices"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/idset"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/channels/internal/defaults"
	"github.com/stoachat/stoa/modules/channels/internal/eventtype"
	"github.com/stoachat/stoa/modules/kit"
)

// channelUsers is a set of users to be subscribed to or unsubscribed from a channel. It contains only users whose
// subscription changes.
type channelUsers struct {
	channel *channel.Channel
	users   user.Set
}

// join is a change that creates channels and subscribes users to new and existing channels.
type join struct {
	by       user.Actor
	created  []*channel.Channel // already stored
	joins    []channelUsers
	colors   map[channel.ID]string // colors chosen in the request
	announce bool
	silent   bool // only other users are notified, because the subscribers are not active yet
}

// join applies the change in the caller's unit of work and returns the resulting view. It does nothing if the change is
// empty.
func (s *Service) join(ctx context.Context, v *directory.View, j join) (*directory.View, error) {
	if len(j.created) == 0 && len(j.joins) == 0 {
		return v, nil
	}
	r := j.by.Realm
	personal, err := s.restore(ctx, r, j)
	if err != nil {
		return nil, err
	}
	seq, err := s.Log.Lock(ctx, r)
	if err != nil {
		return nil, err
	}
	var changes []directory.Change
	for _, c := range j.created {
		changes = append(changes, directory.OfChannel(nil, c))
	}
	for _, g := range j.joins {
		changes = append(changes, directory.Change{Subs: &directory.Subs{Channel: g.channel.ID, Add: g.users}})
		if err := s.Hooks.Run(ctx, &channel.Subscribed{Realm: r, Channel: g.channel.ID, Users: g.users,
			Seq: int64(seq)}); err != nil {
			return nil, err
		}
	}
	after := v.Apply(int64(seq)+1, changes...)
	known, err := s.AsNotified(ctx, v)
	if err != nil {
		return nil, err
	}
	events := createdEvents(r, known, j)
	if !j.silent {
		events = append(events, addedEvents(r, j, personal)...)
	}
	events = append(events, peerEvents(r, eventtype.PeerAdd, j.joins)...)
	if slices.ContainsFunc(j.created, func(c *channel.Channel) bool { return c.Default }) {
		events = append(events, defaults.Changed(r, after))
	}
	events[0] = events[0].Changing(changes...)
	if err := s.Log.Append(ctx, events...); err != nil {
		return nil, err
	}
	if len(j.created) == 0 {
		return after, nil
	}
	return after, s.Hooks.Run(ctx, &channel.Created{Realm: r, By: j.by, Channels: j.created, Announce: j.announce})
}

// restore stores the subscriptions and returns their settings. Users who were subscribed earlier get back their former
// settings.
func (s *Service) restore(ctx context.Context, r realm.ID,
	j join) (map[channel.SubscriptionRef]channel.Personal, error) {
	var people user.Set
	var ids []channel.ID
	for _, g := range j.joins {
		people, ids = people.Union(g.users), append(ids, g.channel.ID)
	}
	if len(people) == 0 {
		return nil, nil
	}
	kept, used, err := s.rows.Kept(ctx, people, ids)
	if err != nil {
		return nil, err
	}
	byID := func(a, b channelUsers) int { return int(a.channel.ID - b.channel.ID) }
	rising := slices.SortedFunc(slices.Values(j.joins), byID)
	palettes := map[user.ID]*channel.Colors{}
	all := map[channel.SubscriptionRef]channel.Personal{}
	for _, g := range rising {
		for _, u := range g.users {
			if palettes[u] == nil {
				palettes[u] = channel.NewColors(used[u]...)
				for _, c := range j.colors {
					palettes[u].Take(c)
				}
			}
			at := channel.SubscriptionRef{User: u, Channel: g.channel.ID}
			p, had := kept[at]
			if chosen := j.colors[g.channel.ID]; chosen != "" {
				p.Color = chosen
			} else if !had {
				p.Color = palettes[u].Next(g.channel.ID)
			}
			all[at] = p
		}
	}
	return all, s.rows.Join(ctx, r, all)
}

// createdEvents returns the events for new channels, addressed to all users who can see them, and for existing
// channels, addressed to the new subscribers who could not see them. before is the view that users have been notified
// of. The subscriber counts are those before the change, since the events that follow increase them.
func createdEvents(r realm.ID, before *directory.View, j join) []event.Event {
	var events []event.Event
	for _, c := range j.created {
		rec := channel.NewRecord(c, 0, before.Active())
		p := eventtype.NewCreated(eventtype.ReachOf(c), rec)
		events = append(events, eventtype.StreamCreate.To(r, event.SeeingChannel(c.ID), p))
	}
	for _, g := range j.joins {
		if j.silent || before.Channel(g.channel.ID) == nil {
			continue
		}
		var gain []user.ID
		for _, u := range permission.WithoutMetadataAccess(before, g.channel, g.users) {
			if before.User(u) != nil {
				gain = append(gain, u)
			}
		}
		if len(gain) > 0 {
			p := eventtype.NewCreated(eventtype.ReachOf(g.channel), eventtype.NewRecord(before, g.channel))
			events = append(events, eventtype.StreamCreate.To(r, eventtype.EachUser(gain), p))
		}
	}
	return events
}

// addedEvents returns one event for all new subscribers, or none if there are no subscribers.
func addedEvents(r realm.ID, j join, personal map[channel.SubscriptionRef]channel.Personal) []event.Event {
	var people user.Set
	var p eventtype.Membership
	for _, g := range j.joins {
		people = people.Union(g.users)
		p.Groups = append(p.Groups, groupBySettings(g, personal)...)
	}
	if len(people) == 0 {
		return nil
	}
	return []event.Event{eventtype.SubscriptionAdd.To(r, eventtype.EachUser(people), p)}
}

// GroupedBySettings groups users who are or were subscribed to a channel by their settings for it.
func (s *Service) GroupedBySettings(
	ctx context.Context, c *channel.Channel, us user.Set,
) ([]eventtype.SettingsGroup, error) {
	personal, _, err := s.rows.Kept(ctx, us, []channel.ID{c.ID})
	if err != nil {
		return nil, err
	}
	return groupBySettings(channelUsers{c, us}, personal), nil
}

// groupBySettings groups users by their settings for a channel, so that the log entry contains each combination only
// once.
func groupBySettings(g channelUsers, personal map[channel.SubscriptionRef]channel.Personal) []eventtype.SettingsGroup {
	plain := map[string][]user.ID{} // users without settings other than the color, by color
	var groups []eventtype.SettingsGroup
	for _, u := range g.users {
		p := personal[channel.SubscriptionRef{User: u, Channel: g.channel.ID}]
		if p == (channel.Personal{Color: p.Color}) {
			plain[p.Color] = append(plain[p.Color], u)
			continue
		}
		groups = append(groups, eventtype.SettingsGroup{Channel: g.channel.ID, Personal: p, Users: user.Set{u}})
	}
	for color, us := range plain {
		groups = append(
			groups,
			eventtype.SettingsGroup{Channel: g.channel.ID, Personal: channel.Personal{Color: color}, Users: idset.Of(us...)},
		)
	}
	slices.SortFunc(groups, func(a, b eventtype.SettingsGroup) int { return int(a.Users[0] - b.Users[0]) })
	return groups
}

// peerEvents returns the events for other users. Public channels whose subscriptions change for the same users share an
// event. Each private channel has its own, addressed to those who can see the channel.
func peerEvents(r realm.ID, t kit.EventType[eventtype.Peers], joins []channelUsers) []event.Event {
	var events []event.Event
	var open []eventtype.Peers
	for _, g := range joins {
		if g.channel.Private {
			p := eventtype.Peers{Channels: []channel.ID{g.channel.ID}, Users: g.users}
			events = append(events, t.To(r, event.SeeingChannel(g.channel.ID).But(g.users...), p))
			continue
		}
		i := slices.IndexFunc(open, func(p eventtype.Peers) bool { return slices.Equal(p.Users, g.users) })
		if i < 0 {
			i, open = len(open), append(open, eventtype.Peers{Users: g.users})
		}
		open[i].Channels = append(open[i].Channels, g.channel.ID)
	}
	for _, p := range open {
		events = append(events, t.To(r, event.Everyone().But(p.Users...), p))
	}
	return events
}

// mutualEvents returns the events about each other for users who leave a channel together and can still see it. Joining
// users need no such events, since the new subscription lists all subscribers.
func mutualEvents(r realm.ID, leaves []channelUsers) []event.Event {
	var events []event.Event
	for _, g := range leaves {
		if len(g.users) > 1 {
			events = append(
				events,
				eventtype.PeerRemove.To(r, eventtype.EachUser(g.users),
					eventtype.Peers{Channels: []channel.ID{g.channel.ID}, Users: g.users, Mutual: true}),
			)
		}
	}
	return events
}

// leave ends subscriptions in the caller's unit of work and returns the resulting view. If silent, the users have been
// deactivated: they are not notified, and their rows stay active for a reactivation.
func (s *Service) leave(
	ctx context.Context,
	v *directory.View,
	r realm.ID,
	leaves []channelUsers,
	silent bool,
) (*directory.View, error) {
	if len(leaves) == 0 {
		return v, nil
	}
	if !silent {
		var all []channel.SubscriptionRef
		for _, g := range leaves {
			for _, u := range g.users {
				all = append(all, channel.SubscriptionRef{User: u, Channel: g.channel.ID})
			}
		}
		if err := s.rows.Leave(ctx, r, all); err != nil {
			return nil, err
		}
	}
	seq, err := s.Log.Lock(ctx, r)
	if err != nil {
		return nil, err
	}
	var changes []directory.Change
	for _, g := range leaves {
		changes = append(changes, directory.Change{Subs: &directory.Subs{Channel: g.channel.ID, Remove: g.users}})
		if err := s.Hooks.Run(ctx, &channel.Unsubscribed{Realm: r, Channel: g.channel.ID, Users: g.users,
			Seq: int64(seq)}); err != nil {
			return nil, err
		}
	}
	after := v.Apply(int64(seq)+1, changes...)
	var events []event.Event
	if !silent {
		events = append(events, removedEvents(r, leaves))
	}
	events = append(events, peerEvents(r, eventtype.PeerRemove, leaves)...)
	if !silent {
		events = append(events, mutualEvents(r, leaves)...)
		events = append(events, hiddenEvents(r, after, leaves)...)
	}
	events[0] = events[0].Changing(changes...)
	return after, s.Log.Append(ctx, events...)
}

func removedEvents(r realm.ID, leaves []channelUsers) event.Event {
	var people user.Set
	var p eventtype.Membership
	for _, g := range leaves {
		people = people.Union(g.users)
		p.Groups = append(p.Groups, eventtype.SettingsGroup{Channel: g.channel.ID, Name: g.channel.Name, Users: g.users})
	}
	return eventtype.SubscriptionRemove.To(r, eventtype.EachUser(people), p)
}

// hiddenEvents returns the events for users who can no longer see a channel after leaving it.
func hiddenEvents(r realm.ID, after *directory.View, leaves []channelUsers) []event.Event {
	var events []event.Event
	for _, g := range leaves {
		if losing := permission.WithoutMetadataAccess(after, g.channel, g.users); len(losing) > 0 {
			p := eventtype.NewDeleted(eventtype.ReachOf(g.channel), false, g.channel.ID)
			events = append(events, eventtype.StreamDelete.To(r, eventtype.EachUser(losing), p))
		}
	}
	return events
}
