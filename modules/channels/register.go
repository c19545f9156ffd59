package channels

import (
	"context"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
)

func (s *service) sections() []kit.Section {
	return []kit.Section{
		kit.Register("subscription", s.subscriptionSection).Spectators(),
		kit.Register("stream", s.streamSection),
		kit.Register("default_streams", s.defaultsSection),
		kit.Register("default_stream_groups", s.bundlesSection),
		kit.Register("channel_folders", s.foldersSection),
	}
}

type defaultsSection struct {
	IDs []channel.ID `json:"realm_default_streams"`
}

func (s *service) defaultsSection(ctx context.Context, a kit.Actor, _ event.Client) (defaultsSection, error) {
	v, err := s.Directory.View(ctx, a.Realm)
	if err != nil {
		return defaultsSection{}, err
	}
	if u := v.User(a.User); u == nil || u.IsGuest() {
		return defaultsSection{[]channel.ID{}}, nil
	}
	return defaultsSection{defaultChannels(v)}, nil
}

// visible calls with all channels that a may know of, but for archived ones where the client knows of no archive.
func visible(v *directory.View, a user.Actor, c event.Client, with func(*channel.Channel)) {
	for ch := range v.Channels() {
		if (!ch.Archived || c.ArchivedChannels) && knows(v, ch, a) {
			with(ch)
		}
	}
}

func (s *service) streamSection(ctx context.Context, a kit.Actor, client event.Client) (listRes, error) {
	v, err := s.Directory.View(ctx, a.Realm)
	if err != nil {
		return listRes{}, err
	}
	res := listRes{[]channel.Record{}}
	visible(v, a, client, func(c *channel.Channel) { res.Streams = append(res.Streams, newRecord(v, c)) })
	sortByName(res.Streams)
	return res, nil
}

type subscriptionSection struct {
	Subscriptions   []channel.SubscriptionRecord `json:"subscriptions"`
	Unsubscribed    []channel.SubscriptionRecord `json:"unsubscribed"`
	NeverSubscribed []channel.Record             `json:"never_subscribed"`
}

func (s *service) subscriptionSection(ctx context.Context, a kit.Actor, client event.Client) (subscriptionSection, error) {
	res := subscriptionSection{[]channel.SubscriptionRecord{}, []channel.SubscriptionRecord{}, []channel.Record{}}
	v, err := s.Directory.View(ctx, a.Realm)
	if err != nil {
		return res, err
	}
	if a.User == 0 {
		res.Subscriptions = forSpectators(v, client)
		return res, nil
	}
	settings, err := s.rows.Of(ctx, a.User)
	if err != nil {
		return res, err
	}
	lists, err := s.listing(ctx, v, a.Realm, client.Subscribers)
	if err != nil {
		return res, err
	}
	me := v.User(a.User)
	visible(v, a, client, func(c *channel.Channel) {
		rec := newRecord(v, c)
		if seesSubscribers(v, c, a) {
			lists.put(&rec, v)
		} else {
			hideSubscribers(&rec, client.Subscribers)
		}
		p, had := settings[c.ID]
		p = p.WithColor()
		if me != nil && !client.NotificationSettingsNull {
			p = p.Filled(me.Settings)
		}
		switch {
		case v.Subscribed(a.User, c.ID):
			res.Subscriptions = append(res.Subscriptions, channel.NewSubscriptionRecord(rec, p))
		case had:
			res.Unsubscribed = append(res.Unsubscribed, channel.NewSubscriptionRecord(rec, p))
		default:
			res.NeverSubscribed = append(res.NeverSubscribed, rec)
		}
	})
	sortSubscriptions(res.Subscriptions)
	sortSubscriptions(res.Unsubscribed)
	sortByName(res.NeverSubscribed)
	return res, nil
}
