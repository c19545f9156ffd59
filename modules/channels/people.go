package channels

import (
	"context"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/idset"
	"github.com/stoachat/stoa/domain/readstate"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/channels/internal/defaults"
)

// joined subscribes a new user to the default channels. Guests are subscribed only to the channels of their invitation,
// bots only to those that their owners choose.
func (s *service) joined(ctx context.Context, m *user.Joined) error {
	if m.User.IsBot() || m.User.IsGuest() || m.User.System || m.NoDefaultChannels {
		return nil
	}
	v, err := s.Directory.View(ctx, m.Realm)
	if err != nil {
		return err
	}
	by := m.By
	by.Realm = m.Realm
	joins, err := missingSubscriptions(v, defaults.Channels(v), user.Set{m.User.ID})
	if err != nil {
		return err
	}
	_, err = s.memberships.join(ctx, v, join{by: by, joins: joins, silent: true})
	return err
}

// deactivated ends a user's subscriptions but leaves the rows active, for a reactivation.
func (s *service) deactivated(ctx context.Context, m *user.Deactivated) error {
	v, err := s.Directory.View(ctx, m.Realm)
	if err != nil {
		return err
	}
	var leaves []channelUsers
	for _, id := range v.Subscriptions(m.User) {
		if c := v.Channel(id); c != nil {
			leaves = append(leaves, channelUsers{c, user.Set{m.User}})
		}
	}
	if _, err = s.memberships.leave(ctx, v, m.Realm, leaves, true); err != nil {
		return err
	}
	return s.updateNamed(ctx, v, m.Realm, m.User, false)
}

// reactivated restores the subscriptions that the user had when deactivated.
func (s *service) reactivated(ctx context.Context, m *user.Reactivated) error {
	v, err := s.Directory.View(ctx, m.Realm)
	if err != nil {
		return err
	}
	ids, err := s.rows.Active(ctx, m.User)
	if err != nil {
		return err
	}
	var joins []channelUsers
	for _, id := range ids {
		if c := v.Channel(id); c != nil && !v.Subscribed(m.User, id) {
			joins = append(joins, channelUsers{c, user.Set{m.User}})
		}
	}
	by := m.By
	by.Realm = m.Realm
	if _, err = s.memberships.join(ctx, v, join{by: by, joins: joins, silent: true}); err != nil {
		return err
	}
	return s.updateNamed(ctx, v, m.Realm, m.User, true)
}

// firstMessagePosted stores a channel's oldest message.
func (s *service) firstMessagePosted(ctx context.Context, m *channel.FirstMessagePosted) error {
	return s.rows.SetFirst(ctx, m.Realm, m.Channel, m.First)
}

// firstMoved stores a channel's new oldest message and notifies users who can see the channel.
func (s *service) firstMoved(ctx context.Context, m *channel.FirstMoved) error {
	v, err := s.Directory.View(ctx, m.Realm)
	if err != nil {
		return err
	}
	old := v.Channel(m.Channel)
	if old == nil || old.FirstMessage == m.First {
		return nil
	}
	if err := s.rows.SetFirst(ctx, m.Realm, m.Channel, m.First); err != nil {
		return err
	}
	now := *old
	now.FirstMessage = m.First
	var value any
	if m.First != 0 {
		value = m.First
	}
	p := updated{
		updatedWire: updatedWire{ID: old.ID, Name: old.Name, Property: "first_message_id", Value: value},
		Reach:       reachOf(old),
	}
	changed := streamUpdate.To(m.Realm, event.SeeingChannel(old.ID), p).Changing(directory.OfChannel(old, &now))
	return s.Log.Append(ctx, changed)
}

// mutedPlaces answers [readstate.MutedPlaces] with the channels that a user has muted.
func (s *service) mutedPlaces(ctx context.Context, q readstate.MutedPlaces) (readstate.Muting, error) {
	muted, err := s.rows.Muted(ctx, q.User)
	return readstate.Muting{Channels: idset.Of(muted...)}, err
}

// mutedAmong answers [channel.MutedAmong].
func (s *service) mutedAmong(ctx context.Context, q channel.MutedAmong) (map[channel.SubscriptionRef]bool, error) {
	found, err := s.rows.MutedOf(ctx, q.Subscriptions)
	muted := make(map[channel.SubscriptionRef]bool, len(found))
	for _, k := range found {
		muted[k] = true
	}
	return muted, err
}

// keptAmong answers [channel.KeptAmong] with the subscriptions that reactivated would restore.
func (s *service) keptAmong(ctx context.Context, q channel.KeptAmong) ([]channel.SubscriptionRef, error) {
	return s.rows.ActiveOf(ctx, q.Subscriptions)
}
