// Package topics is what people have set for topics: muted, unmuted, followed (messages.md §25).
//
// It needs no port of another module. It attaches to readstate.Muting. Table: user_topics.
package topics

import (
	"embed"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

//go:embed migrations
var migrations embed.FS

// Module is the module.
var Module = kit.Define("topics", "Mutes, unmutes and follows topics.", Config{}, wire)

// Config has no settings.
type Config struct{}

type needs struct {
	fx.In
	DB        *bunstore.DB
	Work      ports.UnitOfWork
	Log       ports.EventLog
	Directory ports.Directory
	Clock     ports.Clock
}

type service struct {
	needs
	rows store
}

func wire(_ Config, n needs) (kit.Parts, error) {
	s := &service{n, store{n.DB}}
	muted := mutedTopics.Late(s.list)
	return kit.Parts{
		Endpoints: []kit.Endpoint{
			kit.POST("/user_topics", kit.Users, s.set, "Sets what a topic is to the caller: muted, unmuted, followed or none of these."),
			kit.PATCH("/users/me/subscriptions/muted_topics", kit.Users, s.mute, "Mutes a topic, or ends that; POST /user_topics says more."),
		},
		Migrations: migrations,
		Register:   []kit.Section{kit.Register("user_topic", s.section), kit.Register("muted_topics", s.mutedSection)},
		Events:     []kit.AnyEvent{userTopic.Any(), muted.Any()},
		Hooks:      []kit.Hook{kit.On(s.muting)},
	}, nil
}
