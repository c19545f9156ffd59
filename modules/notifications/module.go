package notifications

import (
	"embed"
	"time"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/notification"
	"github.com/stoachat/stoa/domain/readstate"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

// Module decides who is notified of messages.
var Module = kit.Provide("notifications", "Decides who is notified of messages, and why.", Config{}, wire)

// Config has no settings.
type Config struct{}

//go:embed migrations
var migrations embed.FS

type needs struct {
	fx.In
	DB        *bunstore.DB
	Work      ports.UnitOfWork
	Log       ports.EventLog
	Directory ports.Directory
	Hooks     ports.Hooks
	Clock     ports.Clock
	Collected *kit.Collected
	Receivers ports.Receivers

	Listening      kit.Query[event.Listening, map[user.ID]event.Seq]
	Policies       kit.Query[readstate.TopicPolicies, readstate.PoliciesByTopic]
	Subscriptions  kit.Query[notification.SubscriptionsTo, notification.SubscriptionsByChannel]
	RecentlyActive kit.Query[user.RecentlyActive, user.Set]
}

type service struct {
	needs
	store           store
	undecided, held kit.Backlog
}

func wire(_ Config, n needs) (kit.Parts, ports.Notifier, error) {
	s := &service{needs: n, store: store{n.DB}}
	s.undecided.Earliest, s.held.Earliest = anyPending, earliestWait
	return kit.Parts{
		Endpoints: []kit.Endpoint{
			kit.GET("/users/me/do_not_disturb", kit.Humans, s.getQuiet,
				"Returns when the caller's notifications are silenced."),
			kit.PATCH("/users/me/do_not_disturb", kit.Humans, s.setQuiet,
				"Pauses the caller's notifications, and changes the hours in which they are allowed."),
		},
		Register: []kit.Section{kit.Register("do_not_disturb", s.quietSection).Named()},
		Events:   []kit.AnyEvent{quietChanged.Any()},
		Tables: []kit.Table{
			kit.NotExported[pending]("notifications waiting to be sent").OnRestore(kit.Outgoing),
			kit.NotExported[wait]("notifications waiting to be sent").OnRestore(kit.Outgoing),
			kit.Exported[quietRow]("When a user's notifications are silenced."),
		},
		Migrations: migrations,
		Hooks:      []kit.Hook{kit.On(s.sent), kit.On(s.edited), kit.On(s.profileDeleted).Again()},
		Jobs: []kit.Job{
			{
				Name: "judge notifications", Every: time.Second, Backlog: &s.undecided, Timeout: 5 * time.Minute,
				Run: s.decide,
			},
			{
				Name: "waiting notifications", Every: 10 * time.Second, Backlog: &s.held, Timeout: 5 * time.Minute,
				Run: s.checkWaits,
			},
		},
	}, s, nil
}
