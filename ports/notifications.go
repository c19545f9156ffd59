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

// Receivers reports what messages mean to people. messages → notifications, push.
type Receivers interface {
	// Concerns returns those of a realm's messages that exist, by ID, with the participants of direct ones and
	// everybody's flags.
	Concerns(ctx context.Context, r realm.ID, ids ...message.ID) ([]message.Concern, error)
	// Unread returns, by ID, those of a realm's messages that exist, each with those of the people asked about who have
	// received it, can see it now and have not read it.
	Unread(ctx context.Context, r realm.ID, asked map[message.ID]user.Set) ([]message.Unread, error)
}

// Discussions reports where people wrote. messages → mailnotify.
type Discussions interface {
	// Discussions returns the topics of a realm's channels in which people wrote since a time, those with the most
	// writers first, each with its newest messages. Bots do not count.
	Discussions(ctx context.Context, r realm.ID, since time.Time, limit int) ([]message.Discussion, error)
	// Writers returns who sent messages in a realm since a time.
	Writers(ctx context.Context, r realm.ID, since time.Time) (user.Set, error)
}

// Listeners reports whose clients are connected. events → notifications, mailnotify.
type Listeners interface {
	// Listening returns those of the users who have a live event queue that takes new messages, with the highest
	// position of the log that any of these queues is known to have confirmed. What it knows is up to a minute old.
	Listening(ctx context.Context, r realm.ID, us user.Set) (map[user.ID]event.Seq, error)
}

// TopicPolicies reports what people have set for topics. topics → notifications, mailnotify.
type TopicPolicies interface {
	// Policies returns everybody's settings for topics of a realm. Topics without any are left out.
	Policies(
		ctx context.Context,
		r realm.ID,
		topics ...readstate.Topic,
	) (map[readstate.Topic]map[user.ID]topic.Visibility, error)
}

// SubscriptionSettings reports what subscribers have set for channels. channels → notifications,
// mailnotify.
type SubscriptionSettings interface {
	// NotificationSettings returns the settings of the active subscribers of channels, of those who have set anything
	// that matters to notifications.
	NotificationSettings(
		ctx context.Context,
		r realm.ID,
		cs ...channel.ID,
	) (map[channel.ID]map[user.ID]notification.Subscription, error)
}
