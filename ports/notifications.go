package ports

import (
	"context"
	"time"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/notification"
	"github.com/stoachat/stoa/domain/readstate"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/topic"
	"github.com/stoachat/stoa/domain/user"
)

// Receivers looks up the recipients of messages with their flags and read state. messages → notifications, push.
type Receivers interface {
	// MessageFlags returns the messages that exist, in order of ID, with the participants of direct messages and all
	// users' flags.
	MessageFlags(ctx context.Context, r realm.ID, ids ...message.ID) ([]message.UserFlags, error)
	// Unread returns the messages that exist, in order of ID. Each has the subset of its candidates who received the
	// message, can still access it and have not read it.
	Unread(ctx context.Context, r realm.ID, candidates map[message.ID]user.Set) ([]message.Unread, error)
}

// Discussions summarizes recent activity. messages → mailnotify.
type Discussions interface {
	// Discussions returns the topics in which users (not bots) wrote since a time, those with the most writers first,
	// each with its newest messages.
	Discussions(ctx context.Context, r realm.ID, since time.Time, limit int) ([]message.Discussion, error)
	// Writers returns the users who sent messages in a realm since a time.
	Writers(ctx context.Context, r realm.ID, since time.Time) (user.Set, error)
}

// Listeners reports which users have connected clients. events → notifications, mailnotify.
type Listeners interface {
	// Listening returns the users in us who have a live event queue for new messages, each with the highest log
	// position known to have been acknowledged by one of these queues. The information may be up to a minute old.
	Listening(ctx context.Context, r realm.ID, us user.Set) (map[user.ID]event.Seq, error)
}

// TopicPolicies reads visibility policies of topics. topics → notifications, mailnotify.
type TopicPolicies interface {
	// Policies returns all users' visibility policies for topics of a realm. Topics without any are left out.
	Policies(
		ctx context.Context,
		r realm.ID,
		topics ...readstate.Topic,
	) (map[readstate.Topic]map[user.ID]topic.Visibility, error)
}

// SubscriptionSettings reads notification settings of subscriptions. channels → notifications, mailnotify.
type SubscriptionSettings interface {
	// NotificationSettings returns the settings of active subscribers of the channels, except those who left all
	// relevant settings at their defaults.
	NotificationSettings(
		ctx context.Context,
		r realm.ID,
		cs ...channel.ID,
	) (map[channel.ID]map[user.ID]notification.Subscription, error)
}
