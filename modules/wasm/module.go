package wasm

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"time"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

// Module runs modules that are installed while the server runs.
var Module = kit.Define("wasm", "Runs modules compiled to WebAssembly, isolated from the server.", Config{
	MaxModules: 20, MaxFileMiB: 16, MemoryMiB: 64, Timeout: 5 * time.Second, AtOnce: 4, StorageMiB: 16,
}, wire).Optional()

// Config limits what modules can use.
type Config struct {
	// public keys of Ed25519 in Base64; if there are any, only packages that are signed by one of them are installed
	Signers    []string `yaml:"signers"`
	MaxModules int      `yaml:"max_modules"`  // maximum number of modules per organization
	MaxFileMiB int      `yaml:"max_file_mib"` // maximum size of a package in MiB
	MemoryMiB  int      `yaml:"memory_mib"`   // memory of one call in MiB
	// maximum duration of one call of a module, with all that it asks the server to do
	Timeout time.Duration `yaml:"timeout"`
	AtOnce  int           `yaml:"at_once"` // maximum number of concurrent calls on one node; half for one module
	// run modules without compiling them: many times slower, but independent of faults of the compiler
	Interpret  bool `yaml:"interpret"`
	StorageMiB int  `yaml:"storage_mib"` // maximum size of what a module stores in MiB
}

// Validate checks the configuration.
func (c Config) Validate() error {
	for _, key := range c.Signers {
		if _, err := publicKey(key); err != nil {
			return fmt.Errorf("signers: %w", err)
		}
	}
	switch {
	case c.MaxModules < 1 || c.MaxModules > 200:
		return errors.New("max_modules: want 1 to 200")
	case c.MaxFileMiB < 1 || c.MaxFileMiB > 20:
		return errors.New("max_file_mib: want 1 to 20")
	case c.MemoryMiB < 8 || c.MemoryMiB > 1024:
		return errors.New("memory_mib: want 8 to 1024")
	case c.Timeout < 100*time.Millisecond || c.Timeout > time.Minute:
		return errors.New("timeout: want 100ms to 1m")
	case c.AtOnce < 2 || c.AtOnce > 100:
		return errors.New("at_once: want 2 to 100")
	case c.StorageMiB < 1 || c.StorageMiB > 1024:
		return errors.New("storage_mib: want 1 to 1024")
	}
	return nil
}

//go:embed migrations
var migrations embed.FS

type needs struct {
	fx.In
	DB        *bunstore.DB
	Work      ports.UnitOfWork
	Log       ports.EventLog
	Directory ports.Directory
	Audit     ports.Audit
	Clock     ports.Clock
	Logger    *slog.Logger
	Metrics   *ports.Metrics
	Collected *kit.Collected

	Accounts ports.Accounts
	Actions  ports.MessageActions
	Messages ports.Messages
	Sender   ports.Sender
	Webhooks ports.Webhooks `optional:"true"`
}

type service struct {
	needs
	cfg      Config
	rows     store
	engine   *engine
	machines *kit.Semaphore[string] // key "": all modules
	shares   *kit.Semaphore[int64]  // by the ID of the module
	failures failures
	wanted   atomic.Bool // a module was called before it was compiled
	swept    time.Time   // when the job last looked for modules to compile
	waiting  kit.Backlog // messages for modules
	due      kit.Backlog // jobs of modules
	calls    *ports.Counter
}

func wire(cfg Config, n needs) (kit.Parts, error) {
	s := &service{
		needs: n, cfg: cfg, rows: store{n.DB}, engine: newEngine(cfg.MemoryMiB, cfg.Interpret),
		machines: kit.NewSemaphore[string](cfg.AtOnce), shares: kit.NewSemaphore[int64](cfg.AtOnce / 2),
		waiting: kit.Backlog{Earliest: earliestCall}, due: kit.Backlog{Earliest: earliestRun},
	}
	s.calls = n.Metrics.Counter(ports.Instrument{
		Name: "wasm_calls_total", Labels: []ports.Label{ports.Outcomes()}, Help: "Calls of installed modules.",
	})
	return kit.Parts{
		Words: kit.Words{
			"module_name": "The name of the module.",
			"module_path": "What comes after the name of the module; the module says what its paths are.",
		},
		Endpoints:  append(s.endpoints(), s.mount()),
		Commands:   s.commands(),
		Migrations: migrations,
		Directory:  []directory.Part{guests.Part(s.rows.Load)},
		Events:     []kit.AnyEvent{installed.Any()},
		Hooks:      []kit.Hook{kit.On(s.sent)},
		Answers:    []kit.Answer{kit.Answers(s.parts)},
		Jobs: []kit.Job{
			{Name: "prepare", Every: time.Second, Timeout: 10 * time.Minute, Everywhere: true, Run: s.prepareAll},
			{Name: "deliver", Every: time.Second, Timeout: 10 * time.Minute, Backlog: &s.waiting, Run: s.deliver},
			{Name: "run", Every: time.Second, Timeout: 10 * time.Minute, Backlog: &s.due, Run: s.runDue},
		},
		Tables: []kit.Table{
			kit.Exported[row]("An installed module."),
			kit.Exported[value]("A value that a module has stored."),
			kit.NotExported[queued]("messages that modules have not seen yet").OnRestore(kit.Outgoing),
		},
		Bots:   []string{ownBots + "*"},
		Health: []kit.Check{{Name: "installed", Minor: true, Run: s.health}},
	}, nil
}

// health fails while modules are disabled because they failed.
func (s *service) health(ctx context.Context) error {
	names, err := s.rows.Disabled(ctx)
	if err != nil || len(names) == 0 {
		return err
	}
	return fmt.Errorf("modules that failed were disabled: %s; install another version or remove them",
		strings.Join(names, ", "))
}
