package notices

import (
	"cmp"
	"context"
	"slices"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/topic"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/messages/internal/links"
	"github.com/stoachat/stoa/modules/messages/internal/send"
)

// Topics of notices about channels.
const (
	eventsTopic = "channel events"
	newTopic    = "new channels"
)

// topicIn returns the topic of a notice in c: name, unless c allows only the empty topic.
func topicIn(c *channel.Channel, name string) string {
	if c.TopicsPolicy == topic.OnlyEmpty {
		return ""
	}
	return name
}

// created posts a notice in each new channel and, in the announcement channel if there is one, a notice about the new
// channels that are not private.
func (s *Service) created(ctx context.Context, m *channel.Created) error {
	v, enabled, err := s.channelNotices(ctx, m.Realm)
	if err != nil || v.Realm() == nil {
		return err
	}
	var all []send.Notice
	if enabled {
		for _, c := range m.Channels {
			all = append(all, inChannel(c, m.By, createdText(v, m.By.User, c)))
		}
	}
	to := v.Channel(channel.ID(v.Realm().Settings.NewStreamAnnouncementsStream))
	visible := slices.DeleteFunc(slices.Clone(m.Channels), func(c *channel.Channel) bool { return c.Private })
	if m.Announce && len(visible) > 0 && to != nil && !to.Archived {
		text := links.User(v, m.By.User) + " made " + linked("the channel ", "these channels:", visible)
		all = append(all, send.Notice{ToChannel: to, Topic: topicIn(to, newTopic), Text: text, ReadFor: m.By.User})
	}
	return s.Sender.Notify(ctx, m.Realm, all)
}

// added notifies users who have been subscribed to channels by another user.
func (s *Service) added(ctx context.Context, m *channel.Added) error {
	v, err := s.Directory.View(ctx, m.Realm)
	if err != nil {
		return err
	}
	all := make([]send.Notice, 0, len(m.To))
	for u, ids := range m.To {
		cs := make([]*channel.Channel, 0, len(ids))
		for _, id := range ids {
			if c := v.Channel(id); c != nil {
				cs = append(cs, c)
			}
		}
		text := links.User(v, m.By.User) + " subscribed you to " + linked("the channel ", "these channels:", cs)
		all = append(all, send.Notice{ToUser: u, Text: text})
	}
	slices.SortFunc(all, func(a, b send.Notice) int { return cmp.Compare(a.ToUser, b.ToUser) })
	return s.Sender.Notify(ctx, m.Realm, all)
}

// changed posts notices about changes of a channel in that channel.
func (s *Service) changed(ctx context.Context, m *channel.Changed) error {
	v, enabled, err := s.channelNotices(ctx, m.Realm)
	if err != nil || !enabled {
		return err
	}
	var all []send.Notice
	for _, text := range changedTexts(v, m.By.User, m.Old, m.New) {
		all = append(all, inChannel(m.New, m.By, text))
	}
	return s.Sender.Notify(ctx, m.Realm, all)
}

// channelNotices returns the view and reports whether the realm has enabled notices about channels.
func (s *Service) channelNotices(ctx context.Context, r realm.ID) (*directory.View, bool, error) {
	v, err := s.Directory.View(ctx, r)
	return v, err == nil && v.Realm() != nil && v.Realm().Settings.SendChannelEventsMessages, err
}

// inChannel returns a notice to be posted in the channel that it is about. Its links are limited to what the user who
// made the change can see.
func inChannel(c *channel.Channel, by user.Actor, text string) send.Notice {
	return send.Notice{ToChannel: c, Topic: topicIn(c, eventsTopic), Text: text, ReadFor: by.User, As: by.User}
}
