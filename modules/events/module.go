package events

import (
	"embed"
	"errors"
	"log/slog"
	"time"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

// Module delivers events.
var Module = kit.Define("events", "Registers clients and delivers events to them.", Config{
	IdleTimeout: 10 * time.Minute, RecentEntries: 1024, MaxReplay: 50_000, MaxMatching: 10_000, MaxQueues: 200,
	HoldBack: 10 * time.Millisecond,
}, wire)

// Config is the configuration of the module.
type Config struct {
	// lifetime of a queue without polls, unless its client requests another
	IdleTimeout   time.Duration `yaml:"idle_timeout"`
	RecentEntries int           `yaml:"recent_entries"` // log entries per realm kept in memory
	// maximum distance of a queue from the end of the log, in entries; beyond it, its client must register again
	MaxReplay   int `yaml:"max_replay"`
	MaxMatching int `yaml:"max_matching"` // maximum number of a queue's pending events; likewise
	// maximum number of queues per user; a further one ends the one that was polled longest ago
	MaxQueues int `yaml:"max_queues"`
	// how long the response to a poll waits for further events if the queue's last response was a moment ago, that is less
	// than ten times as long; 0: not at all
	HoldBack time.Duration `yaml:"hold_back"`
}

// Validate checks the configuration. Each error begins with its key.
func (c Config) Validate() error {
	switch {
	case c.IdleTimeout < time.Minute || c.IdleTimeout > maxIdle:
		return errors.New("idle_timeout: want 1m to 168h")
	case c.RecentEntries < 16:
		return errors.New("recent_entries: want at least 16")
	case c.MaxReplay < c.RecentEntries:
		return errors.New("max_replay: want at least recent_entries")
	case c.MaxMatching < 100:
		return errors.New("max_matching: want at least 100")
	case c.MaxQueues < 1:
		return errors.New("max_queues: want a positive number")
	case c.HoldBack < 0 || c.HoldBack > time.Second:
		return errors.New("hold_back: want a time up to 1s, or 0")
	}
	return nil
}

//go:embed migrations
var migrations embed.FS

type needs struct {
	fx.In
	DB        *bunstore.DB
	Work      ports.UnitOfWork
	Writer    ports.Writer
	Reader    ports.LogReader
	Directory ports.Directory
	Clock     ports.Clock
	Log       *slog.Logger
	Metrics   *ports.Metrics
	Collected *kit.Collected

	ZulipNames kit.Query[realm.KnowsOnlyZulipNames, bool]
	Aliases    kit.Query[realm.KeyAliases, map[string]any]
}

func wire(cfg Config, n needs) (kit.Parts, error) {
	s := newService(cfg, n, store{n.DB})
	return kit.Parts{
		Endpoints: []kit.Endpoint{
			kit.POST(
				"/register",
				kit.Spectators,
				s.register,
				"Creates an event queue and returns the state that its events continue.",
			).Compress().Reading().Operation("registerQueue").Shows(registeredKeys()),
			kit.GET("/events", kit.Users, s.poll, "Returns a queue's events; waits for one unless dont_block.").
				Rate(kit.RatePolls).Operation("getEvents").Shows(polled{}),
			kit.DELETE("/events", kit.Users, s.remove, "Deletes an event queue.").Operation("deleteQueue").Reading(),
		},
		Tables:     []kit.Table{kit.NotExported[row]("clients create new queues").OnRestore(kit.Dropped)},
		Migrations: migrations,
		Doctor:     diagnoses(),
		Events:     ownEvents(),
		Answers:    []kit.Answer{kit.Answers(s.listening)},
		Hooks:      []kit.Hook{kit.On(s.logAdvanced), kit.On(s.userDeactivated).Again(), kit.On(s.realmDeactivated)},
		Commands:   s.commands(),
		Jobs: []kit.Job{
			{Name: "sweep", Every: time.Second, Timeout: 30 * time.Second, Everywhere: true, Run: s.sweep},
			{Name: "save", Every: 30 * time.Second, Everywhere: true, Run: s.save},
			{Name: "expire", Deletes: true, Every: time.Minute, Run: s.expire},
		},
	}, nil
}
