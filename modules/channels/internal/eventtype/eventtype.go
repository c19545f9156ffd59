// Package eventtype declares the module's events about channels and subscriptions. Log entries contain the data that is
// the same for all receivers. The events that clients receive are composed at delivery.
package eventtype

import (
	"context"
	"slices"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
)

// Reach selects the clients that receive an event by their capability archived_channels.
type Reach int8

// The values are stored in log entries.
const (
	ToAll           Reach = 0
	WithArchived    Reach = 1 // clients with the capability
	WithoutArchived Reach = 2 // clients without it
)

func (r Reach) includes(c event.Client) bool {
	return r == ToAll || c.ArchivedChannels == (r == WithArchived)
}

// ReachOf returns the reach of an event about c. Clients without archived_channels receive no events about archived
// channels.
func ReachOf(c *channel.Channel) Reach {
	if c.Archived {
		return WithArchived
	}
	return ToAll
}

// Created lists channels that have become visible to the receivers. Records of the channels in Seen are built as of the
// log entry.
type Created struct {
	createdWire
	Seen  []channel.ID `json:"seen,omitempty"`
	Reach Reach        `json:"reach,omitempty"`
}

type createdWire struct {
	Streams      []channel.Record `json:"streams"`
	ForUnarchive bool             `json:"for_unarchiving"`
}

// NewCreated returns the payload of StreamCreate for a channel whose record is complete.
func NewCreated(to Reach, r channel.Record) Created {
	return Created{createdWire: createdWire{Streams: []channel.Record{r}}, Reach: to}
}

// StreamCreate is sent to users to whom channels have become visible.
var StreamCreate = kit.Event[Created]("stream", "create").Shape(
	func(_ context.Context, v *directory.View, c event.Client, p *Created) (any, bool) {
		w := p.createdWire
		for _, id := range p.Seen {
			if ch := v.Channel(id); ch != nil {
				rec := NewRecord(v, ch)
				rec.SubscriberCount = 0 // a peer_add event adds the subscribers
				w.Streams = append(w.Streams, rec)
			}
		}
		return w, p.Reach.includes(c)
	}).Sends(createdWire{})

// Deleted lists channels that the receivers can no longer see.
type Deleted struct {
	deletedWire
	Reach Reach `json:"reach,omitempty"`
}

type deletedWire struct {
	IDs        []channel.ID `json:"stream_ids"`
	Streams    []deletedID  `json:"streams"` // the older form of stream_ids
	ForArchive bool         `json:"for_archiving"`
}

type deletedID struct {
	ID channel.ID `json:"stream_id"`
}

// NewDeleted returns the payload of StreamDelete for channels that were archived or, if archived is false, that the
// receivers can no longer see.
func NewDeleted(to Reach, archived bool, ids ...channel.ID) Deleted {
	p := Deleted{deletedWire{IDs: ids, ForArchive: archived}, to}
	for _, id := range ids {
		p.Streams = append(p.Streams, deletedID{id})
	}
	return p
}

// StreamDelete is sent to users who can no longer see channels, and when a channel is archived.
var StreamDelete = kit.Event[Deleted]("stream", "delete").Shape(
	func(_ context.Context, _ *directory.View, c event.Client, p *Deleted) (any, bool) {
		return p.deletedWire, p.Reach.includes(c)
	}).Sends(deletedWire{})

// Updated is the payload of StreamUpdate.
type Updated struct {
	Update
	Reach Reach `json:"reach,omitempty"`
}

// Update is a changed property of a channel as sent to clients.
type Update struct {
	ID            channel.ID `json:"stream_id"`
	Name          string     `json:"name"` // the current name; for the property name, the old one
	Property      string     `json:"property"`
	Value         any        `json:"value"`
	Rendered      *string    `json:"rendered_description,omitempty"`
	HistoryPublic *bool      `json:"history_public_to_subscribers,omitempty"`
	WebPublic     *bool      `json:"is_web_public,omitempty"`
}

// StreamUpdate is sent to users who can see the channel.
var StreamUpdate = kit.Event[Updated]("stream", "update").Shape(
	func(_ context.Context, _ *directory.View, c event.Client, p *Updated) (any, bool) {
		return p.Update, p.Reach.includes(c)
	}).Sends(Update{})

// SettingsGroup is a set of users with the same settings for a channel.
type SettingsGroup struct {
	Channel  channel.ID       `json:"channel"`
	Name     string           `json:"name,omitempty"`
	Personal channel.Personal `json:"personal,omitzero"`
	Users    user.Set         `json:"users"`
}

// Membership lists users who were subscribed or unsubscribed. One log entry covers any number of users. Each receiver's
// event is composed at delivery.
type Membership struct {
	Groups []SettingsGroup `json:"crowds"`
	Reach  Reach           `json:"reach,omitempty"`
}

type subscriptions[T any] struct {
	Subscriptions []T `json:"subscriptions"`
}

// nothingShared is the shape of events whose fields all depend on the receiver.
func nothingShared(_ context.Context, _ *directory.View, c event.Client, p *Membership) (any, bool) {
	return struct{}{}, p.Reach.includes(c)
}

// SubscriptionAdd is sent to new subscribers.
var SubscriptionAdd = kit.Event[Membership]("subscription", "add").Shape(nothingShared).Personal(
	func(r event.Receiver, p *Membership) (any, bool) {
		var all []channel.SubscriptionRecord
		for _, c := range p.Groups {
			ch := r.View.Channel(c.Channel)
			if !c.Users.Has(r.User.ID) || ch == nil || ch.Archived && !r.Queue.Client.ArchivedChannels {
				continue
			}
			rec := NewRecord(r.View, ch)
			addSubscribers(&rec, r.View, r.Queue.Client.Subscribers)
			own := c.Personal
			if then := r.View.User(r.User.ID); then != nil && !r.Queue.Client.NotificationSettingsNull {
				own = own.Filled(then.Settings)
			}
			all = append(all, channel.NewSubscriptionRecord(rec, own))
		}
		return subscriptions[channel.SubscriptionRecord]{all}, len(all) > 0
	}).Sends(subscriptions[channel.SubscriptionRecord]{})

type leftChannel struct {
	ID   channel.ID `json:"stream_id"`
	Name string     `json:"name"`
}

// SubscriptionRemove is sent to users who were unsubscribed.
var SubscriptionRemove = kit.Event[Membership]("subscription", "remove").Shape(nothingShared).Personal(
	func(r event.Receiver, p *Membership) (any, bool) {
		var all []leftChannel
		for _, c := range p.Groups {
			ch := r.View.Channel(c.Channel)
			if c.Users.Has(r.User.ID) && (ch == nil || !ch.Archived || r.Queue.Client.ArchivedChannels) {
				all = append(all, leftChannel{c.Channel, c.Name})
			}
		}
		return subscriptions[leftChannel]{all}, len(all) > 0
	}).Sends(subscriptions[leftChannel]{})

// Peers is a membership change as sent to other users: the same users were added to or removed from each of the
// channels. Receivers to whom the channels in Seen have become visible receive all of their subscribers instead.
type Peers struct {
	Channels []channel.ID `json:"stream_ids,omitempty"`
	Users    user.Set     `json:"user_ids,omitempty"`
	Seen     []channel.ID `json:"seen,omitempty"`
	Reach    Reach        `json:"reach,omitempty"`
	Mutual   bool         `json:"among,omitempty"` // the receivers are the added or removed users
}

type peersShared struct {
	Users user.Set `json:"user_ids"`
}

type peersPersonal struct {
	Channels []channel.ID `json:"stream_ids"`
}

type peersOfSeen struct {
	peersPersonal
	peersShared
}

func peersForms(_ context.Context, v *directory.View, c event.Client, p *Peers) []any {
	switch {
	case !p.Reach.includes(c):
		return nil
	case p.Mutual:
		return []any{struct{}{}}
	case len(p.Seen) == 0:
		return []any{peersShared{p.Users}}
	}
	var same []peersOfSeen // channels with the same subscribers share an event
	for _, id := range p.Seen {
		us := v.Subscribers(id)
		if len(us) == 0 {
			continue
		}
		i := slices.IndexFunc(same, func(o peersOfSeen) bool { return slices.Equal(o.Users, us) })
		if i < 0 {
			i, same = len(same), append(same, peersOfSeen{peersShared: peersShared{us}})
		}
		same[i].Channels = append(same[i].Channels, id)
	}
	all := make([]any, len(same))
	for i := range same {
		all[i] = same[i]
	}
	return all
}

// peersFor omits channels whose subscribers the receiver cannot see.
func peersFor(r event.Receiver, p *Peers) (any, bool) {
	if len(p.Seen) > 0 {
		return nil, true
	}
	then := r.View.User(r.User.ID) // as of the event: the role may have changed since
	mine := slices.DeleteFunc(slices.Clone(p.Channels), func(id channel.ID) bool {
		c := r.View.Channel(id)
		return !permission.SeesSubscribers(r.View, c, then) || c.Archived && !r.Queue.Client.ArchivedChannels
	})
	if p.Mutual {
		return peersOfSeen{peersPersonal{mine}, peersShared{p.Users.Minus(user.Set{r.User.ID})}}, len(mine) > 0
	}
	return peersPersonal{mine}, len(mine) > 0
}

// PeerAdd and PeerRemove are sent to other users who can see the channels.
var (
	PeerAdd    = kit.Event[Peers]("subscription", "peer_add").Forms(peersForms).Personal(peersFor).Sends(peersOfSeen{})
	PeerRemove = kit.Event[Peers]("subscription", "peer_remove").Forms(peersForms).Personal(peersFor).Sends(peersOfSeen{})
)

// SettingChanged is a changed property of the receiver's own subscription.
type SettingChanged struct {
	ID       channel.ID `json:"stream_id"`
	Property string     `json:"property"`
	Value    any        `json:"value"`
}

// SubscriptionUpdate is sent to the user who has changed a setting of a subscription.
var SubscriptionUpdate = kit.Event[SettingChanged]("subscription", "update").
	// Clients without archived_channels do not receive archived channels.
	Personal(func(r event.Receiver, c *SettingChanged) (any, bool) {
		ch := r.View.Channel(c.ID)
		return nil, ch == nil || !ch.Archived || r.Queue.Client.ArchivedChannels
	})

// RecentlyActive returns the event for a change of a channel's is_recently_active.
func RecentlyActive(r realm.ID, c *channel.Channel, active bool) event.Event {
	w := Update{ID: c.ID, Name: c.Name, Property: "is_recently_active", Value: active}
	return StreamUpdate.To(r, event.SeeingChannel(c.ID), Updated{w, ReachOf(c)})
}

// Types returns all event types of this package.
func Types() []kit.AnyEvent {
	return []kit.AnyEvent{
		StreamCreate.Any(), StreamDelete.Any(), StreamUpdate.Any(), SubscriptionAdd.Any(), SubscriptionRemove.Any(),
		SubscriptionUpdate.Any(), PeerAdd.Any(), PeerRemove.Any(),
	}
}

// EachUser returns the audience consisting of the given users.
func EachUser(us []user.ID) event.Audience {
	if len(us) == 1 {
		return event.To(us[0])
	}
	return event.Each(us...)
}
