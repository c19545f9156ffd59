// Package outgoing calls the services of outgoing webhook bots (realm-and-rest.md §13): when a message speaks to such a bot
// (message.Calls), what it calls for is put down in the commit that sends it, and made later by a job; what the service answers is
// said by the bot where the message is then. A call is made at least once, and again a few times if that may help; the bot answers at
// most once. Nothing of a message is told that the bot may not read when it is called, and nothing said where it may not write when
// it answers. Whoever has many bots keeps nobody from theirs: what waits and what is made at the same time is bounded for each bot and
// each owner, what is made also for each realm, and owners take turns.
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
var Module = kit.Define("outgoing", "Calls the services of outgoing webhook bots, and has the bots say what is answered.", Config{
	AtOnce: 8, PerBot: 2, Tries: 3, FirstRetry: 10 * time.Second, Life: 24 * time.Hour, PerMessage: 10, MaxWaiting: 1000,
	MaxWaitingOwner: 5000, WarnEvery: time.Hour,
}, wire)

// Config says how services are called. How long a call takes at most, and what may be called, the adapter says.
type Config struct {
	AtOnce          int           `yaml:"at_once"`           // calls made at the same time by one node; on all nodes one owner's bots get half as many, one realm's three quarters
	PerBot          int           `yaml:"per_bot"`           // of these, for one bot: others need not wait for a slow service
	Tries           int           `yaml:"tries"`             // of a call, if the service can't be reached or says that it has a problem
	FirstRetry      time.Duration `yaml:"first_retry"`       // wait after the first try; it doubles with each further one
	Life            time.Duration `yaml:"life"`              // after which what still waits is not passed on any more
	PerMessage      int           `yaml:"per_message"`       // bots that are called about one message, those with the lowest ids; others are not
	MaxWaiting      int           `yaml:"max_waiting"`       // calls of one bot that wait; what is said to it meanwhile is not passed on
	MaxWaitingOwner int           `yaml:"max_waiting_owner"` // the same of all bots of one owner
	WarnEvery       time.Duration `yaml:"warn_every"`        // in which the owner of a bot is told of at most one failure
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
	case c.WarnEvery <= 0:
		return errors.New("warn_every: want a time above 0")
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
		Migrations: migrations, Hooks: []kit.Hook{kit.On(s.sent)},
		Rows: append(kit.RowsOf("outgoing_calls"), kit.Rows{Table: "outgoing_failures", User: "bot_id"}),
	}
	for i := range cfg.AtOnce {
		parts.Jobs = append(parts.Jobs, kit.Job{
			Name: "call_" + strconv.Itoa(i+1), Every: time.Second, Timeout: turn, Everywhere: true, Run: s.run,
		})
	}
	return parts, nil
}
