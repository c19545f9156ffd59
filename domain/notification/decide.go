// Package notification decides who is notified of a message when they are not looking, and why.
package notification

import (
	"github.com/stoachat/stoa/domain/topic"
	"github.com/stoachat/stoa/domain/user"
)

// Trigger is the reason for a notification. The empty trigger means that there is none.
type Trigger string

// The triggers, in the order in which they are considered.
const (
	None                    Trigger = ""
	DirectMessage           Trigger = "direct_message"
	Mentioned               Trigger = "mentioned"
	FollowedTopicWildcard   Trigger = "topic_wildcard_mentioned_in_followed_topic"
	FollowedChannelWildcard Trigger = "stream_wildcard_mentioned_in_followed_topic"
	TopicWildcard           Trigger = "topic_wildcard_mentioned"
	ChannelWildcard         Trigger = "stream_wildcard_mentioned"
	FollowedTopicPush       Trigger = "followed_topic_push_notify"
	FollowedTopicEmail      Trigger = "followed_topic_email_notify"
	ChannelPush             Trigger = "stream_push_notify"
	ChannelEmail            Trigger = "stream_email_notify"
)

// Kind is a way to notify someone.
type Kind int

// The kinds.
const (
	Push Kind = iota
	Email
)

// Subscription is what someone has set for a channel, as far as it matters here. A nil setting stands for the
// person's general one.
type Subscription struct {
	Muted    bool
	Push     *bool
	Email    *bool
	Wildcard *bool // wildcard mentions notify
}

// Case is a message and one person who receives it.
type Case struct {
	Direct          bool // a direct message
	Mentioned       bool // by name, through a group, or by an alert word
	TopicWildcard   bool // as a participant of the topic
	ChannelWildcard bool
	Topic           topic.Visibility // what the person has set for the topic
	Subscription    Subscription     // of a channel message
	Settings        *user.Settings   // of the person
}

// Reason returns why the person is notified in this way while they are idle.
func (c *Case) Reason(k Kind) Trigger {
	if k.enabled(c.Settings) {
		if t := c.addressed(); t != None {
			return t
		}
	}
	s := c.Settings
	switch {
	case c.Direct:
		return None
	case k == Push && c.Topic == topic.Followed && s.EnableFollowedTopicPushNotifications:
		return FollowedTopicPush
	case k == Email && c.Topic == topic.Followed && s.EnableFollowedTopicEmailNotifications:
		return FollowedTopicEmail
	case c.Muted():
		return None
	case k == Push && or(c.Subscription.Push, s.EnableStreamPushNotifications):
		return ChannelPush
	case k == Email && or(c.Subscription.Email, s.EnableStreamEmailNotifications):
		return ChannelEmail
	}
	return None
}

// enabled reports whether direct messages and mentions notify in this way.
func (k Kind) enabled(s *user.Settings) bool {
	if k == Push {
		return s.EnableOfflinePushNotifications
	}
	return s.EnableOfflineEmailNotifications
}

// addressed returns the trigger of a message that is directed at the person, alone or with others.
func (c *Case) addressed() Trigger {
	followed := c.Topic == topic.Followed && c.Settings.EnableFollowedTopicWildcardNotify
	wildcard := !c.Muted() && or(c.Subscription.Wildcard, c.Settings.WildcardMentionsNotify)
	switch {
	case c.Direct:
		return DirectMessage
	case c.Mentioned:
		return Mentioned
	case c.TopicWildcard && followed:
		return FollowedTopicWildcard
	case c.ChannelWildcard && followed:
		return FollowedChannelWildcard
	case c.TopicWildcard && wildcard:
		return TopicWildcard
	case c.ChannelWildcard && wildcard:
		return ChannelWildcard
	}
	return None
}

// Muted reports whether the conversation is muted for the person: a setting for the topic outweighs that for the
// channel.
func (c *Case) Muted() bool {
	switch c.Topic {
	case topic.Muted:
		return true
	case topic.Unmuted, topic.Followed:
		return false
	}
	return c.Subscription.Muted
}

// Online reports whether someone who is not idle is notified in this way all the same.
func (k Kind) Online(s *user.Settings) bool { return k == Push && s.EnableOnlinePushNotifications }

func or(own *bool, general bool) bool {
	if own != nil {
		return *own
	}
	return general
}
