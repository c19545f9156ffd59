package outgoing

import (
	"embed"
	"errors"
	"log/slog"
	"strconv"
	"time"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

// Module is the module.
var Module = kit.Define(
	"outgoing",
	"Calls the services of outgoing webhook bots, and has the bots say what is answered.",
	Config{
		AtOnce: 8, PerBot: 2, Tries: 4, FirstRetry: 10 * time.Second, Life: 24 * time.Hour, PerMessage: 10, MaxWaiting: 1000,
		MaxWaitingOwner: 5000, WarnEvery: time.Minute,
	},
	wire,
)

// Config bounds the calls. The adapter bounds the time of one call and decides which addresses are called.
type Config struct {
	AtOnce          int           `yaml:"at_once"`           // calls at the same time on one node; at most half for one owner, three quarters for one realm
	PerBot          int           `yaml:"per_bot"`           // of these, for one bot: others need not wait for a slow service
	Tries           int           `yaml:"tries"`             // of one call in all, if the service cannot be reached or does not answer in time
	FirstRetry      time.Duration `yaml:"first_retry"`       // wait after the first try; it doubles with each further one
	Life            time.Duration `yaml:"life"`              // after which a waiting call is given up
	PerMessage      int           `yaml:"per_message"`       // bots called about one message, those with the lowest IDs; others are not
	MaxWaiting      int           `yaml:"max_waiting"`       // waiting calls of one bot; further messages are not passed on
	MaxWaitingOwner int           `yaml:"max_waiting_owner"` // the same for all bots of one owner
	WarnEvery       time.Duration `yaml:"warn_every"`        // in which the owner of a bot is notified of at most one failure; 0 for all
}

// Validate checks what the decoder can't.
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
	Log       *slog.Logger
	Services  ports.BotServices
	Objects   ports.MessageObjects
	Sender    ports.Sender
	Webhooks  ports.Webhooks
}

type service struct {
	needs
	cfg   Config
	store store
}

const (
	turn    = 5 * time.Minute // how long a job runs at most, and so a call
	lease   = 2 * turn        // after which a call that was begun is anybody's again
	perTurn = 20              // calls that a job makes before it is run anew
)

func wire(cfg Config, n needs) (kit.Parts, error) {
	s := &service{n, cfg, store{n.DB}}
	parts := kit.Parts{
		Exports:    exported(),
		Migrations: migrations, Hooks: []kit.Hook{kit.On(s.sent), kit.On(s.edited)},
		Rows: append(kit.RowsOf("outgoing_calls"), kit.Rows{Table: "outgoing_failures", User: "bot_id"}),
	}
	for i := range cfg.AtOnce {
		parts.Jobs = append(parts.Jobs, kit.Job{
			Name: "call_" + strconv.Itoa(i+1), Every: time.Second, Timeout: turn, Everywhere: true, Run: s.run,
		})
	}
	return parts, nil
}
