// Package notification decides which idle users are notified of a message, and why.
package notification

import (
	"github.com/stoachat/stoa/domain/topic"
	"github.com/stoachat/stoa/domain/user"
)

// Trigger is the reason for a notification. The empty trigger means that there is none.
type Trigger string

// The triggers, in the order of evaluation.
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

// Kind is a means of notification.
type Kind int

// The kinds.
const (
	Push Kind = iota
	Email
)

// Subscription holds a user's notification settings for a channel. nil falls back to the user's general setting.
type Subscription struct {
	Muted    bool
	Push     *bool
	Email    *bool
	Wildcard *bool // wildcard mentions notify
}

// Case holds the facts about a message and one of its receivers that determine whether to notify.
type Case struct {
	Direct          bool // a direct message
	Mentioned       bool // by name, through a group, or by an alert word
	TopicWildcard   bool // as a participant of the topic
	ChannelWildcard bool
	Topic           topic.Visibility // the user's policy for the topic
	Subscription    Subscription     // for channel messages
	Settings        *user.Settings   // the user's settings
}

// Reason returns why the user is notified by k while idle, or None.
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

// enabled reports whether direct messages and mentions notify by k.
func (k Kind) enabled(s *user.Settings) bool {
	if k == Push {
		return s.EnableOfflinePushNotifications
	}
	return s.EnableOfflineEmailNotifications
}

// addressed returns the trigger of a message directed at the user, individually or through a wildcard.
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

// Muted reports whether the conversation is muted for the user. A topic policy overrides the channel's setting.
func (c *Case) Muted() bool {
	switch c.Topic {
	case topic.Muted:
		return true
	case topic.Unmuted, topic.Followed:
		return false
	}
	return c.Subscription.Muted
}

// Online reports whether k also notifies users who are not idle.
func (k Kind) Online(s *user.Settings) bool { return k == Push && s.EnableOnlinePushNotifications }

func or(own *bool, general bool) bool {
	if own != nil {
		return *own
	}
	return general
}
