package channels

import (
	"context"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/channels/internal/access"
	"github.com/stoachat/stoa/modules/kit"
)

func (s *service) sections() []kit.Section {
	return []kit.Section{
		kit.Register("subscription", s.subscriptionSection).Spectators().
			Compress("subscriptions", "unsubscribed", "never_subscribed"),
		kit.Register("stream", s.streamSection).Compress("streams"),
	}
}

// visible returns the channels that a can see, sorted by name. It omits archived channels unless the client has the
// capability archived_channels.
func visible(v *directory.View, a user.Actor, c event.Client) []*channel.Channel {
	var all []*channel.Channel
	for ch := range v.Channels() {
		if (!ch.Archived || c.ArchivedChannels) && access.Sees(v, ch, a) {
			all = append(all, ch)
		}
	}
	sortByName(all)
	return all
}

type streamSection struct {
	Streams *list `json:"streams"`
}

func (s *service) streamSection(ctx context.Context, a kit.Actor, client event.Client) (streamSection, error) {
	v, err := s.Directory.View(ctx, a.Realm)
	if err != nil {
		return streamSection{}, err
	}
	res := &list{v: v}
	for _, c := range visible(v, a, client) {
		res.all = append(res.all, entry{Channel: c})
	}
	return streamSection{res}, nil
}

type subscriptionSection struct {
	Subscriptions   *list `json:"subscriptions"`
	Unsubscribed    *list `json:"unsubscribed"`
	NeverSubscribed *list `json:"never_subscribed"`
}

func (s *service) subscriptionSection(
	ctx context.Context,
	a kit.Actor,
	client event.Client,
) (subscriptionSection, error) {
	v, err := s.Directory.View(ctx, a.Realm)
	if err != nil {
		return subscriptionSection{}, err
	}
	if a.User == 0 {
		return forSpectators(v, client), nil
	}
	settings, err := s.subscribing.Settings(ctx, a.User)
	if err != nil {
		return subscriptionSection{}, err
	}
	lists, err := s.selectSubscribers(ctx, v, a.Realm, client.Subscribers)
	if err != nil {
		return subscriptionSection{}, err
	}
	me := v.User(a.User)
	mine, left, others := &list{v: v, lists: &lists}, &list{v: v, lists: &lists}, &list{v: v, lists: &lists}
	for _, c := range visible(v, a, client) {
		e := entry{Channel: c, hidden: !access.SeesSubscribers(v, c, a)}
		subscribed := v.Subscribed(a.User, c.ID)
		p, had := settings[c.ID]
		if !subscribed && !had {
			others.all = append(others.all, e)
			continue
		}
		p = p.WithColor()
		if me != nil && !client.NotificationSettingsNull {
			p = p.Filled(me.Settings)
		}
		e.own = &p
		if subscribed {
			mine.all = append(mine.all, e)
		} else {
			left.all = append(left.all, e)
		}
	}
	return subscriptionSection{mine, left, others}, nil
}
