package channels

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

// reach selects the clients that receive an event by their capability archived_channels.
type reach int8

const (
	toAll       reach = 0
	toArchivers reach = 1 // clients with the capability
	toOthers    reach = 2 // clients without it
)

func (r reach) includes(c event.Client) bool {
	return r == toAll || c.ArchivedChannels == (r == toArchivers)
}

// reachOf returns the reach of an event about c. Clients without archived_channels receive no events about archived
// channels.
func reachOf(c *channel.Channel) reach {
	if c.Archived {
		return toArchivers
	}
	return toAll
}

// created lists channels that the receivers can see from now on. For the channels in Seen, records are built as of the
// log entry.
type created struct {
	createdWire
	Seen  []channel.ID `json:"seen,omitempty"`
	Reach reach        `json:"reach,omitempty"`
}

type createdWire struct {
	Streams      []channel.Record `json:"streams"`
	ForUnarchive bool             `json:"for_unarchiving"`
}

func create(to reach, r channel.Record) created {
	return created{createdWire: createdWire{Streams: []channel.Record{r}}, Reach: to}
}

var streamCreate = kit.Event[created]("stream", "create").Shape(
	func(_ context.Context, v *directory.View, c event.Client, p *created) (any, bool) {
		w := p.createdWire
		for _, id := range p.Seen {
			if ch := v.Channel(id); ch != nil {
				rec := newRecord(v, ch)
				rec.SubscriberCount = 0 // a peer_add event adds the subscribers
				w.Streams = append(w.Streams, rec)
			}
		}
		return w, p.Reach.includes(c)
	})

// deletedChannels lists channels that the receivers can no longer see.
type deletedChannels struct {
	deletedWire
	Reach reach `json:"reach,omitempty"`
}

type deletedWire struct {
	IDs        []channel.ID `json:"stream_ids"`
	Streams    []deletedID  `json:"streams"` // the older form of stream_ids
	ForArchive bool         `json:"for_archiving"`
}

type deletedID struct {
	ID channel.ID `json:"stream_id"`
}

func channelDeleted(to reach, id channel.ID, archived bool) deletedChannels {
	return deletedChannels{deletedWire{[]channel.ID{id}, []deletedID{{id}}, archived}, to}
}

var streamDelete = kit.Event[deletedChannels]("stream", "delete").Shape(
	func(_ context.Context, _ *directory.View, c event.Client, p *deletedChannels) (any, bool) {
		return p.deletedWire, p.Reach.includes(c)
	})

// updated is a channel property and its new value.
type updated struct {
	updatedWire
	Reach reach `json:"reach,omitempty"`
}

type updatedWire struct {
	ID            channel.ID `json:"stream_id"`
	Name          string     `json:"name"` // the current name; for the property name, the old one
	Property      string     `json:"property"`
	Value         any        `json:"value"`
	Rendered      *string    `json:"rendered_description,omitempty"`
	HistoryPublic *bool      `json:"history_public_to_subscribers,omitempty"`
	WebPublic     *bool      `json:"is_web_public,omitempty"`
}

var streamUpdate = kit.Event[updated]("stream", "update").Shape(
	func(_ context.Context, _ *directory.View, c event.Client, p *updated) (any, bool) {
		return p.updatedWire, p.Reach.includes(c)
	})

// settingsGroup is a set of users with the same settings for a channel.
type settingsGroup struct {
	Channel  channel.ID       `json:"channel"`
	Name     string           `json:"name,omitempty"`
	Personal channel.Personal `json:"personal,omitzero"`
	Users    user.Set         `json:"users"`
}

// membership lists users who were subscribed or unsubscribed. One log entry covers any number of users; each receiver's
// event is composed at delivery.
type membership struct {
	Crowds []settingsGroup `json:"crowds"`
	Reach  reach           `json:"reach,omitempty"`
}

type subscriptions[T any] struct {
	Subscriptions []T `json:"subscriptions"`
}

// nothingShared shapes events whose fields all differ by receiver.
func nothingShared(_ context.Context, _ *directory.View, c event.Client, p *membership) (any, bool) {
	return struct{}{}, p.Reach.includes(c)
}

var subscriptionAdd = kit.Event[membership]("subscription", "add").Shape(nothingShared).Personal(
	func(r event.Receiver, p *membership) (any, bool) {
		var all []channel.SubscriptionRecord
		for _, c := range p.Crowds {
			ch := r.View.Channel(c.Channel)
			if !c.Users.Has(r.User.ID) || ch == nil || ch.Archived && !r.Queue.Client.ArchivedChannels {
				continue
			}
			rec := newRecord(r.View, ch)
			addSubscribers(&rec, r.View, r.Queue.Client.Subscribers)
			own := c.Personal
			if then := r.View.User(r.User.ID); then != nil && !r.Queue.Client.NotificationSettingsNull {
				own = own.Filled(then.Settings)
			}
			all = append(all, channel.NewSubscriptionRecord(rec, own))
		}
		return subscriptions[channel.SubscriptionRecord]{all}, len(all) > 0
	})

type leftChannel struct {
	ID   channel.ID `json:"stream_id"`
	Name string     `json:"name"`
}

var subscriptionRemove = kit.Event[membership]("subscription", "remove").Shape(nothingShared).Personal(
	func(r event.Receiver, p *membership) (any, bool) {
		var all []leftChannel
		for _, c := range p.Crowds {
			ch := r.View.Channel(c.Channel)
			if c.Users.Has(r.User.ID) && (ch == nil || !ch.Archived || r.Queue.Client.ArchivedChannels) {
				all = append(all, leftChannel{c.Channel, c.Name})
			}
		}
		return subscriptions[leftChannel]{all}, len(all) > 0
	})

// peers is a membership change as sent to other users: the same users were added to or removed from all of the
// channels. Receivers who can newly see the channels in Seen receive all of their subscribers instead.
type peers struct {
	Channels []channel.ID `json:"stream_ids,omitempty"`
	Users    user.Set     `json:"user_ids,omitempty"`
	Seen     []channel.ID `json:"seen,omitempty"`
	Reach    reach        `json:"reach,omitempty"`
	Among    bool         `json:"among,omitempty"` // the receivers are the users themselves
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

func peersForms(_ context.Context, v *directory.View, c event.Client, p *peers) []any {
	switch {
	case !p.Reach.includes(c):
		return nil
	case p.Among:
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
func peersFor(r event.Receiver, p *peers) (any, bool) {
	if len(p.Seen) > 0 {
		return nil, true
	}
	then := r.View.User(r.User.ID) // the role may have changed since
	mine := slices.DeleteFunc(slices.Clone(p.Channels), func(id channel.ID) bool {
		c := r.View.Channel(id)
		return !permission.SeesSubscribers(r.View, c, then) || c.Archived && !r.Queue.Client.ArchivedChannels
	})
	if p.Among {
		return peersOfSeen{peersPersonal{mine}, peersShared{p.Users.Minus(user.Set{r.User.ID})}}, len(mine) > 0
	}
	return peersPersonal{mine}, len(mine) > 0
}

var (
	peerAdd    = kit.Event[peers]("subscription", "peer_add").Forms(peersForms).Personal(peersFor)
	peerRemove = kit.Event[peers]("subscription", "peer_remove").Forms(peersForms).Personal(peersFor)
)

// settingChanged is a changed property of the receiver's own subscription.
type settingChanged struct {
	ID       channel.ID `json:"stream_id"`
	Property string     `json:"property"`
	Value    any        `json:"value"`
}

var subscriptionUpdate = kit.Event[settingChanged]("subscription", "update").
	// Clients without archived_channels do not have archived channels.
	Personal(func(r event.Receiver, c *settingChanged) (any, bool) {
		ch := r.View.Channel(c.ID)
		return nil, ch == nil || !ch.Archived || r.Queue.Client.ArchivedChannels
	})

func activeEvent(r realm.ID, c *channel.Channel, active bool) event.Event {
	w := updatedWire{ID: c.ID, Name: c.Name, Property: "is_recently_active", Value: active}
	return streamUpdate.To(r, event.SeeingChannel(c.ID), updated{w, reachOf(c)})
}

func eventTypes() []kit.AnyEvent {
	return []kit.AnyEvent{
		streamCreate.Any(), streamDelete.Any(), streamUpdate.Any(), subscriptionAdd.Any(), subscriptionRemove.Any(),
		subscriptionUpdate.Any(), peerAdd.Any(), peerRemove.Any(),
	}
}
