package outgoing

import (
	"embed"
	"errors"
	"log/slog"
	"strconv"
	"time"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/bot"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

// Module calls the services of outgoing webhook bots.
var Module = kit.Define(
	"outgoing",
	"Calls the services of outgoing webhook bots, and posts their answers.",
	Config{
		AtOnce: 8, PerBot: 2, Tries: 4, FirstRetry: 10 * time.Second, Life: 24 * time.Hour, PerMessage: 10, MaxWaiting: 1000,
		MaxWaitingOwner: 5000, WarnEvery: time.Minute,
	},
	wire,
)

// Config limits the calls. The adapter limits the duration of a call and checks the addresses.
type Config struct {
	// maximum number of concurrent calls on one node; at most half of them for one owner, three quarters for one realm
	AtOnce int `yaml:"at_once"`
	// maximum number of concurrent calls for one bot, so that a slow service does not delay others
	PerBot int `yaml:"per_bot"`
	// maximum number of attempts per call, if the service is unreachable or does not respond in time
	Tries int `yaml:"tries"`
	// wait after the first attempt; it doubles with each attempt
	FirstRetry time.Duration `yaml:"first_retry"`
	// age at which a queued call is dropped
	Life time.Duration `yaml:"life"`
	// maximum number of bots called for one message; those with the lowest IDs are called
	PerMessage int `yaml:"per_message"`
	// maximum number of queued calls of one bot; further calls are dropped
	MaxWaiting int `yaml:"max_waiting"`
	// maximum number of queued calls for all bots of one owner
	MaxWaitingOwner int `yaml:"max_waiting_owner"`
	// minimum time between failure notices to the owner of a bot; with 0, each failure causes a notice
	WarnEvery time.Duration `yaml:"warn_every"`
}

// Validate checks the configuration.
func (c Config) Validate() error {
	switch {
	case c.AtOnce < 1 || c.AtOnce > 100:
		return errors.New("at_once: want a whole number from 1 to 100")
	case c.PerBot < 1 || c.PerBot > c.AtOnce:
		return errors.New("per_bot: want a whole number from 1 to at_once")
	case c.Tries < 1 || c.Tries > 20:
		return errors.New("tries: want a whole number from 1 to 20")
	case c.FirstRetry <= 0 || c.FirstRetry > time.Hour:
		return errors.New("first_retry: want a time above 0, up to an hour")
	case c.Life <= 0:
		return errors.New("life: want a time above 0")
	case c.PerMessage < 1 || c.PerMessage > 100:
		return errors.New("per_message: want a whole number from 1 to 100")
	case c.MaxWaiting < 1:
		return errors.New("max_waiting: want a positive number")
	case c.MaxWaitingOwner < c.MaxWaiting:
		return errors.New("max_waiting_owner: want max_waiting or more")
	case c.WarnEvery < 0:
		return errors.New("warn_every: want 0 or a time")
	}
	return nil
}

//go:embed migrations
var migrations embed.FS

type needs struct {
	fx.In
	DB        *bunstore.DB
	Work      ports.UnitOfWork
	Directory ports.Directory
	Clock     ports.Clock
	Node      ports.Node
	Log       *slog.Logger
	Sender    ports.Sender
	Webhooks  ports.Webhooks
	Metrics   *ports.Metrics

	Service kit.Query[bot.ServiceOf, *bot.Service]
	Object  kit.Query[message.ObjectFor, message.Object]
}

type service struct {
	needs
	cfg     Config
	store   store
	working kit.Working[int64] // the calls that this node makes
	backlog kit.Backlog
	calls   *ports.Counter
}

const (
	runTimeout  = 5 * time.Minute // maximum duration of a run of a job, and therefore of a call
	callsPerRun = 20              // maximum number of calls per run of a job
)

func wire(cfg Config, n needs) (kit.Parts, error) {
	s := &service{needs: n, cfg: cfg, store: store{n.DB}, backlog: kit.Backlog{Earliest: earliest}}
	s.calls = n.Metrics.Counter(ports.Instrument{
		Name: "stoa_webhook_calls_total", Labels: []ports.Label{ports.Outcomes()},
		Help: "Calls of outgoing webhook bots to their services. Those that fail are repeated.",
	})
	parts := kit.Parts{
		Doctor: diagnoses(),
		Tables: []kit.Table{
			kit.NotExported[row]("bot calls waiting to be made").OnRestore(kit.Outgoing),
			kit.NotExported[failure]("bot calls waiting to be made"),
		},
		Migrations: migrations, Hooks: []kit.Hook{kit.On(s.sent), kit.On(s.edited)},
		Leases: []kit.Lease{{Table: "outgoing_calls", Column: "holder"}},
	}
	for i := range cfg.AtOnce {
		parts.Jobs = append(parts.Jobs, kit.Job{
			Name: "call_" + strconv.Itoa(i+1), Every: time.Second, Backlog: &s.backlog, Timeout: runTimeout, Everywhere: true,
			Run: s.run,
		})
	}
	return parts, nil
}
