package channels

import (
	"context"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/group"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/channels/internal/defaults"
	"github.com/stoachat/stoa/modules/channels/internal/eventtype"
)

// change stores a changed channel and notifies users, in the caller's unit of work. It does nothing if old and now are
// equal.
func (s *service) change(ctx context.Context, v *directory.View, by user.Actor, old, now *channel.Channel) error {
	updates := differences(old, now)
	if len(updates) == 0 && old.Default == now.Default {
		return nil
	}
	if err := s.Hooks.Run(ctx, &channel.Changing{Realm: by.Realm, By: by, Old: old, New: now}); err != nil {
		return err
	}
	renamed := ""
	if now.Name != old.Name {
		renamed = v.NameKey(now.Name)
	}
	if err := s.rows.Update(ctx, by.Realm, now, renamed); err != nil {
		return err
	}
	back, err := s.restored(ctx, v, old, now)
	if err != nil {
		return err
	}
	seq, err := s.Log.Lock(ctx, by.Realm)
	if err != nil {
		return err
	}
	known, err := s.subscribing.AsNotified(ctx, v)
	if err != nil {
		return err
	}
	fact := directory.OfChannel(old, now)
	after := v.Apply(int64(seq)+1, fact)
	events := changeEvents(by.Realm, permission.SeeingChannel(known, old), v, after, old, now, updates, fact)
	if len(back.Groups) > 0 {
		events = append(events, eventtype.SubscriptionAdd.To(by.Realm, event.Subscribers(now.ID), back))
	}
	if err := s.Log.Append(ctx, events...); err != nil {
		return err
	}
	if err := s.defaults.Unbundle(ctx, by.Realm, now); err != nil {
		return err
	}
	return s.Hooks.Run(ctx, &channel.Changed{Realm: by.Realm, By: by, Old: old, New: now})
}

// restored returns the subscriptions to send to clients without the capability archived_channels when a channel is
// unarchived. If the channel is not being unarchived, there are none.
func (s *service) restored(
	ctx context.Context, v *directory.View, old, now *channel.Channel,
) (eventtype.Membership, error) {
	p := eventtype.Membership{Reach: eventtype.WithoutArchived}
	us := v.Subscribers(now.ID)
	if !old.Archived || now.Archived || len(us) == 0 {
		return p, nil
	}
	var err error
	p.Groups, err = s.subscribing.GroupedBySettings(ctx, now, us)
	return p, err
}

// changeEvents returns the events in order: first those for users who can no longer see the channel, as of the view
// before the change; then the change itself; finally those for users who can now see the channel but are not in
// notified, the users who were notified of it before.
func changeEvents(
	r realm.ID,
	notified user.Set,
	before, after *directory.View,
	old, now *channel.Channel,
	updates []eventtype.Update,
	fact directory.Change,
) []event.Event {
	had, has := permission.SeeingChannel(before, old), permission.SeeingChannel(after, now)
	lost, gained := had.Minus(has), has.Minus(notified)
	var events []event.Event
	if len(lost) > 0 {
		p := eventtype.NewDeleted(eventtype.ReachOf(old), false, now.ID)
		events = append(events, eventtype.StreamDelete.To(r, among(now.ID, had, lost), p))
	}
	first := len(events)
	// stayed includes users who were not notified of the channel, because clients that registered recently already have
	// it.
	stayed := among(now.ID, has, had.And(has))
	for _, u := range updates {
		// When a channel is unarchived, clients without archived_channels receive the whole record.
		p := eventtype.Updated{Update: u, Reach: eventtype.ReachOf(old)}
		if u.Property == "is_archived" {
			p.Reach = eventtype.WithArchived
		}
		events = append(events, eventtype.StreamUpdate.To(r, stayed, p))
	}
	switch {
	case now.Archived && !old.Archived:
		p := eventtype.NewDeleted(eventtype.WithoutArchived, true, now.ID)
		events = append(events, eventtype.StreamDelete.To(r, stayed, p))
	case old.Archived && !now.Archived:
		p := eventtype.NewCreated(eventtype.WithoutArchived, channel.NewRecord(now, 0, after.Active())) // peer_add follows
		p.ForUnarchive = true
		subscribers := after.Subscribers(now.ID) // receive the whole subscription
		back := has.Minus(gained)
		others := back.Minus(subscribers)
		events = append(events, eventtype.StreamCreate.To(r, among(now.ID, has, back), p),
			eventtype.PeerAdd.To(r, among(now.ID, has, others),
				eventtype.Peers{Seen: []channel.ID{now.ID}, Reach: eventtype.WithoutArchived}))
	}
	if len(gained) > 0 {
		rec := channel.NewRecord(now, 0, after.Active()) // peer_add follows
		to := among(now.ID, has, gained)
		events = append(events, eventtype.StreamCreate.To(r, to, eventtype.NewCreated(eventtype.ReachOf(now), rec)))
		if us := after.Subscribers(now.ID); len(us) > 0 {
			events = append(events, eventtype.PeerAdd.To(r, to, eventtype.Peers{Channels: []channel.ID{now.ID}, Users: us}))
		}
	}
	if old.Default != now.Default {
		events = append(events, defaults.Changed(r, after))
	}
	events[first] = events[first].Changing(fact)
	return events
}

// among addresses some of the users who can see a channel, by listing either them or, if that list is shorter, the
// others.
func among(c channel.ID, all, some user.Set) event.Audience {
	if rest := all.Minus(some); len(rest) < len(some) {
		return event.SeeingChannel(c).But(rest...)
	}
	return eventtype.EachUser(some)
}

// differences returns one update for each changed property, in the order of the record.
func differences(old, now *channel.Channel) []eventtype.Update {
	var all []eventtype.Update
	add := func(property string, value any) *eventtype.Update {
		name := now.Name
		if property == "name" {
			name = old.Name
		}
		all = append(all, eventtype.Update{ID: now.ID, Name: name, Property: property, Value: value})
		return &all[len(all)-1]
	}
	if old.Name != now.Name {
		add("name", now.Name)
	}
	if old.Description != now.Description {
		add("description", now.Description).Rendered = &now.Rendered
	}
	if old.Privacy() != now.Privacy() {
		u := add("invite_only", now.Private)
		u.HistoryPublic, u.WebPublic = &now.HistoryPublic, &now.WebPublic
	}
	if !equal(old.RetentionDays, now.RetentionDays) {
		add("message_retention_days", now.RetentionDays)
	}
	if old.TopicsPolicy != now.TopicsPolicy {
		add("topics_policy", now.TopicsPolicy)
	}
	if old.Folder != now.Folder {
		add("folder_id", orNull(now.Folder))
	}
	if old.Archived != now.Archived {
		add("is_archived", now.Archived)
	}
	for _, r := range permission.Settings(group.OfStream) {
		if was, is := old.Permissions[r.Name], now.Permissions[r.Name]; !was.Equal(is) {
			add(r.Name, is.Normal())
		}
	}
	was := channel.PostPolicy(old.Permissions["can_send_message_group"])
	is := channel.PostPolicy(now.Permissions["can_send_message_group"])
	if was != is {
		add("stream_post_policy", is)
	}
	if (was == 2) != (is == 2) {
		add("is_announcement_only", is == 2)
	}
	return all
}

func orNull(id channel.FolderID) any {
	if id == 0 {
		return nil
	}
	return id
}

func equal(a, b *int) bool { return a == b || a != nil && b != nil && *a == *b }
