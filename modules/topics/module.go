package topics

import (
	"embed"
	"errors"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

//go:embed migrations
var migrations embed.FS

// Module stores users' topic policies.
var Module = kit.Provide("topics", "Mutes, unmutes and follows topics.", Config{MaxPolicies: 50_000}, wire)

// Config is the configuration of the module.
type Config struct {
	// maximum number of topics with a policy set by the user; automatic policies are not limited
	MaxPolicies int64 `yaml:"max_policies"`
}

// Validate checks the configuration.
func (c Config) Validate() error {
	if c.MaxPolicies < 1 {
		return errors.New("max_policies: must be 1 or more")
	}
	return nil
}

type needs struct {
	fx.In
	DB        *bunstore.DB
	Work      ports.UnitOfWork
	Log       ports.EventLog
	Directory ports.Directory
	Hooks     ports.Hooks
	Clock     ports.Clock

	Announced kit.Query[permission.WaitingPeriod, permission.Announced]
	Muted     kit.Query[channel.MutedAmong, map[channel.SubscriptionRef]bool]
	Kept      kit.Query[channel.KeptAmong, []channel.SubscriptionRef]
	Starts    kit.Query[message.TopicStarts, []bool]
	Moves     kit.Query[message.MovedSince, []message.Edited]
}

type provides struct {
	fx.Out
	Automatic ports.AutomaticPolicies
	Policies  ports.TopicPolicies
}

type service struct {
	needs
	cfg   Config
	rows  store
	noops *noopCache
}

func wire(cfg Config, n needs) (kit.Parts, provides, error) {
	s := &service{n, cfg, store{n.DB}, newNoopCache()}
	muted := mutedTopics.Late(s.loadLists)
	return kit.Parts{
		Schemas: []kit.Schema{kit.SchemaOf[policy]("TopicPolicy", "What a user wants to hear of a topic.")},
		Endpoints: []kit.Endpoint{
			kit.POST("/user_topics", kit.Users, s.post,
				"Sets the caller's policy for a topic: muted, unmuted, followed or none.").
				Operation("setTopicPolicy").Idempotent(),
			kit.PATCH("/users/me/subscriptions/muted_topics", kit.Users, s.mute,
				"Mutes or unmutes a topic; POST /user_topics supports more policies.").Operation("muteTopic"),
		},
		Tables: []kit.Table{
			kit.Imported(kit.Exported[row]("A topic that a user has muted (policy 1), unmuted (2) or follows (3)."), adapt),
		},
		Migrations: migrations,
		Doctor:     diagnoses(),
		Register:   []kit.Section{kit.Register("user_topic", s.section), kit.Register("muted_topics", s.mutedSection)},
		Events:     []kit.AnyEvent{userTopic.Any(), muted.Any()},
		Answers:    []kit.Answer{kit.Answers(s.mutedPlaces), kit.Answers(s.followers), kit.Answers(s.policies)},
		Hooks: []kit.Hook{
			kit.On(s.reacted), kit.On(s.participated),
			kit.On(s.edited), kit.On(s.emptied), kit.On(s.noops.invalidate),
			kit.On(s.visibilityChanged), kit.On(s.becameFullMembers), kit.On(s.missed),
		},
		CatchUp: s.catchUp,
	}, provides{Automatic: s, Policies: s}, nil
}
