package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"time"

	"go.uber.org/dig"
	"go.uber.org/fx"
	"go.uber.org/fx/fxevent"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/adapters/emoji"
	"github.com/stoachat/stoa/adapters/markdown"
	"github.com/stoachat/stoa/app/internal/absence"
	"github.com/stoachat/stoa/app/internal/config"
	"github.com/stoachat/stoa/app/internal/erase"
	"github.com/stoachat/stoa/app/internal/health"
	"github.com/stoachat/stoa/app/internal/kernel"
	"github.com/stoachat/stoa/app/internal/logs"
	"github.com/stoachat/stoa/app/internal/nodes"
	"github.com/stoachat/stoa/app/internal/registry"
	"github.com/stoachat/stoa/app/internal/secret"
	"github.com/stoachat/stoa/app/internal/settings"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

// builtin returns the ports that are available in every configuration.
func builtin() []reflect.Type {
	return []reflect.Type{
		reflect.TypeFor[*bunstore.DB](), reflect.TypeFor[*slog.Logger](), reflect.TypeFor[*kit.Collected](),
		reflect.TypeFor[ports.Clock](), reflect.TypeFor[ports.Emoji](), reflect.TypeFor[ports.UnitOfWork](),
		reflect.TypeFor[ports.EventLog](), reflect.TypeFor[ports.LogReset](),
		reflect.TypeFor[ports.LogReader](), reflect.TypeFor[ports.Directory](), reflect.TypeFor[ports.Writer](),
		reflect.TypeFor[ports.Hooks](), reflect.TypeFor[ports.Audit](),
		reflect.TypeFor[ports.Renderer](), reflect.TypeFor[ports.Sealer](),
		reflect.TypeFor[ports.DataDir](),
		reflect.TypeFor[ports.Site](), reflect.TypeFor[ports.Version](), reflect.TypeFor[ports.Node](),
		reflect.TypeFor[*ports.Metrics](),
	}
}

// needs returns the ports that the HTTP server needs from modules.
func needs() []registry.Need {
	return []registry.Need{
		{Module: "modules", Port: reflect.TypeFor[ports.Realms]()},
		{Module: "modules", Port: reflect.TypeFor[ports.Authenticator]()},
	}
}

// Needs reports whether the HTTP server itself needs a module.
func Needs(m kit.Module) bool {
	return slices.ContainsFunc(needs(), func(n registry.Need) bool { return slices.Contains(m.Provides, n.Port) })
}

// Ports are the ports of an assembled server, for commands and tests. Ports of modules that do not run are nil.
type Ports struct {
	fx.In
	Work          ports.UnitOfWork
	Log           ports.EventLog
	Reader        ports.LogReader
	Directory     ports.Directory
	Writer        ports.Writer
	Hooks         ports.Hooks
	Audit         ports.Audit
	Clock         ports.Clock
	Collected     *kit.Collected
	Realms        ports.Realms
	States        ports.RealmStates   `optional:"true"`
	Settings      ports.RealmSettings `optional:"true"`
	Authenticator ports.Authenticator
	Accounts      ports.Accounts    `optional:"true"`
	Passwords     ports.Passwords   `optional:"true"`
	Credentials   ports.Credentials `optional:"true"`
	Channels      ports.Channels    `optional:"true"`
	Outbox        ports.Outbox      `optional:"true"`
	Mailer        ports.Mailer      `optional:"true"`
	Sender        ports.Sender      `optional:"true"`
	Rerenderer    ports.Rerenderer  `optional:"true"`
	Sessions      ports.Sessions    `optional:"true"`
	Identities    ports.Identities  `optional:"true"`
	SignIns       ports.SignIns     `optional:"true"`
	Spectators    ports.Spectators  `optional:"true"`
	Demo          ports.Demo        `optional:"true"`
	Blobs         ports.Blobs       `optional:"true"`
	PushRelay     ports.PushRelay   `optional:"true"`
	Bus           ports.Bus         `optional:"true"`
}

// renderer holds what rendering messages needs.
type renderer struct {
	fx.In
	Emoji ports.Emoji
	Math  ports.Math `optional:"true"`
}

// assembled is a server with wired modules and collected contributions. Nothing has started.
type assembled struct {
	kernel    *kernel.Kernel
	node      *nodes.Node
	collected *kit.Collected
	ports     Ports
	health    *health.Handler
	adapters  kit.Contribution // the health checks of the adapters
	reloads   []kit.Reload
	absences  *absence.Keeper // nil: incomplete
}

// assemble wires the configured modules to a database. Errors: config.Problems for contributions that do not fit.
func assemble(
	c Config,
	db *bunstore.DB,
	clock ports.Clock,
	log *slog.Logger,
	version ports.Version,
	node *nodes.Node,
	m *ports.Metrics,
	t *ports.Traces,
	more kit.Parts,
	all bool,
) (*assembled, error) {
	plan := c.Plan
	a := &assembled{node: node, adapters: kit.Contribution{Module: "adapters"}, collected: &kit.Collected{
		Events: map[string]kit.AnyEvent{}, Answers: map[reflect.Type][]kit.Answer{}, Operators: map[string]kit.Operator{},
		Traces: t, Panics: &kit.Panics{Clock: clock},
	}}
	a.kernel = kernel.New(kernel.Options{
		DB: db, Clock: clock, Log: logs.For(log, "kernel"), Metrics: m, Traces: t, Panics: a.collected.Panics,
	})
	var got kit.Contributions
	options := []fx.Option{
		fx.WithLogger(func() fxevent.Logger { return fxLogger(log) }),
		fx.RecoverFromPanics(),
		fx.Supply(db, log, a.collected, ports.DataDir(c.Settings.DataDir), version),
		fx.Provide(
			func() ports.Clock { return clock },
			func() *ports.Metrics { return m },
			func() ports.Node { return node },
			func() ports.Sealer { return secret.New(string(c.Settings.Secret), c.Settings.DataDir) },
			func() ports.Site { return site(strings.TrimRight(c.Settings.HTTP.URL, "/")) },
			func() (ports.UnitOfWork, ports.EventLog, ports.LogReader, ports.Directory, ports.Writer, ports.Hooks) {
				return a.kernel, a.kernel, a.kernel, a.kernel, a.kernel, a.kernel
			},
			func() ports.Audit { return a.kernel },
			func() ports.LogReset { return a.kernel },
			emoji.New, func(n renderer) ports.Renderer {
				return markdown.New(c.Settings.Markdown, n.Emoji, n.Math, a.collected, logs.For(log, "markdown"))
			},
		),
		fx.Populate(&got),
	}
	if all {
		options = append(options, fx.Invoke(func(p Ports, r kit.Reloads, c kit.AdapterChecks) {
			a.ports, a.reloads, a.adapters.Parts.Health = p, r.All, c.All
		}))
	}
	options = append(options, storeOptions(plan, m)...)
	for _, m := range plan {
		name := cmp.Or(m.Slot, m.Name)
		wired := []fx.Option{
			fx.Decorate(func(l *slog.Logger) *slog.Logger { return logs.For(l, name) }), m.Option(m.Config),
		}
		if m.From != nil {
			wired = append(wired, m.From.Named(m.From.Config, registry.MovingFrom))
		}
		options = append(options, fx.Module(name, wired...))
	}
	if err := fx.New(options...).Err(); err != nil {
		return nil, configProblem(dig.RootCause(err))
	}
	if a.ports.Bus != nil {
		a.kernel.UseBus(a.ports.Bus)
	}
	return a, a.collect(c, got.All, more, db, log)
}

// walLimit is the size beyond which SQLite's write-ahead log is truncated, in bytes.
const walLimit = 64 << 20

// collect sorts the contributions by module and passes them to the parts that use them.
func (a *assembled) collect(
	cfg Config, all []kit.Contribution, more kit.Parts, db *bunstore.DB, log *slog.Logger,
) error {
	at := func(c kit.Contribution) int {
		return slices.IndexFunc(cfg.Plan, func(m registry.Chosen) bool { return m.Slot == "" && m.Name == c.Module })
	}
	slices.SortFunc(all, func(x, y kit.Contribution) int { return at(x) - at(y) })
	h := health.New(logs.For(log, "health"))
	h.Panics = a.collected.Panics
	a.health = h
	own := kit.Contribution{Module: kit.ServerPart, Doc: "Parts of the server itself.", Parts: kit.Parts{
		Endpoints: []kit.Endpoint{
			kit.Mount("/health", kit.Anyone, http.Handler(h), "Reports the health of the server and its services."),
		},
		Health: []kit.Check{
			{Name: "database", Run: a.checkDatabase(db)}, diskCheck(cfg.Settings.DataDir, minFreeDisk),
			{Name: "modules", Run: a.node.CheckModules, Minor: true},
		},
		Leases:   []kit.Lease{{Table: "job_leases", Column: "holder"}},
		Register: []kit.Section{kit.Register("stoa_modules", a.modules).Named().Spectators()},
		Jobs: append(a.kernel.Jobs(), kit.Job{
			Name: "checkpoint", Every: 10 * time.Second, Everywhere: true,
			Run: func(ctx context.Context) error { return db.Checkpoint(ctx, walLimit) },
		}),
	}.With(more, settings.Parts(settings.Options{DB: db, Work: a.kernel, Log: a.kernel, Directory: a.kernel}, all))}
	if db.OneWriter() {
		own.Parts.Jobs = append(own.Parts.Jobs, probeJob(db, h, cfg.Settings.DataDir))
	}
	if a.ports.States != nil {
		e := &erase.Eraser{
			Store: db, Work: a.kernel, Directory: a.kernel, Hooks: a.kernel, States: a.ports.States, Logs: a.kernel,
			Log:       logs.For(log, "erase"),
			Collected: a.collected,
		}
		own.Parts.Jobs = append(own.Parts.Jobs, e.Job())
	}
	if a.ports.Accounts != nil {
		p := &erase.Person{
			Store: db, Work: a.kernel, Directory: a.kernel, Hooks: a.kernel, Accounts: a.ports.Accounts, Logs: a.kernel,
			Collected: a.collected,
		}
		own.Parts.Commands = append(own.Parts.Commands, p.Command())
	}
	if a.ports.Realms != nil {
		a.absences = absence.New(&absence.Keeper{
			DB: db, Work: a.kernel, Directory: a.kernel, Realms: a.ports.Realms, Clock: a.ports.Clock,
			Log: logs.For(log, "absence"), Collected: a.collected,
		})
		a.absences.Hold(all)
		own.Parts.Jobs = append(own.Parts.Jobs, a.absences.Job())
	}
	all = append([]kit.Contribution{own}, all...)
	problems := registry.Contributions(all)
	problems = append(problems, registry.UnknownRateClasses(cfg.Settings.HTTP.RateLimits.Classes, all)...)
	if err := problems.Err(); err != nil {
		return err
	}
	h.Collect(append(slices.Clone(all), a.adapters))
	limits := cfg.Settings.HTTP.RateLimits
	a.collected.Modules, a.collected.Rates = all, limits.InForce(registry.RateClasses(all))
	a.collected.RateWindow = limits.Window
	for _, c := range all {
		a.collected.Endpoints = append(a.collected.Endpoints, c.Parts.Endpoints...)
		a.collected.Sections = append(a.collected.Sections, c.Parts.Register...)
		for _, e := range c.Parts.Events {
			a.collected.Events[e.Type+"/"+e.Op] = e
		}
		for _, o := range c.Parts.Operators {
			a.collected.Operators[o.Name] = o.In(c.Module, a.collected.Panics)
		}
	}
	byName := slices.SortedFunc(slices.Values(all),
		func(x, y kit.Contribution) int { return strings.Compare(x.Module, y.Module) })
	for _, c := range byName {
		for _, answer := range c.Parts.Answers {
			answer.Module = c.Module
			a.collected.Answers[answer.Question] = append(a.collected.Answers[answer.Question], answer)
		}
	}
	for _, answers := range a.collected.Answers {
		slices.SortStableFunc(answers, func(x, y kit.Answer) int { return cmp.Compare(x.Rank, y.Rank) })
	}
	if err := a.kernel.Collect(all); err != nil {
		return fmt.Errorf("assembly: %w", err)
	}
	return nil
}

// modules is the section stoa_modules of /register. Clients use it to offer only what the server can do.
type modules struct {
	Names []string `json:"stoa_modules"`
}

func (a *assembled) modules(context.Context, kit.Actor, event.Client) (modules, error) {
	return modules{a.collected.Names()}, nil
}

// checkDatabase returns the check that the database responds, and that no newer version has migrated it while this node
// was unable to reach it, or has written what this one cannot read.
func (a *assembled) checkDatabase(db *bunstore.DB) func(context.Context) error {
	return func(ctx context.Context) error {
		return errors.Join(db.Check(ctx), a.node.Check(ctx), a.kernel.Check(ctx))
	}
}

// probeJob looks for a lost SQLite database, which is logged even if no one requests /health.
func probeJob(db *bunstore.DB, h *health.Handler, dir string) kit.Job {
	return kit.Job{Name: "database", Every: 10 * time.Second, Everywhere: true, Run: func(ctx context.Context) error {
		free, known := freeBytes(dir)
		err := db.Probe(ctx, known && free < minFreeDisk)
		h.Observe(ctx, "server.database")
		return err
	}}
}

// configProblem converts a module's error to config.Problems if the error begins with a key in the module's section.
func configProblem(err error) error {
	path, text, ok := strings.Cut(err.Error(), ": ")
	if ok && section(path) && !strings.ContainsAny(path, " \n") && !strings.Contains(text, "\n") {
		return config.Problems{{Path: path, Text: text}}
	}
	return fmt.Errorf("assembly: %w", err)
}

// section reports whether a path is in the section of a module or adapter.
func section(path string) bool {
	return strings.HasPrefix(path, "modules.") || strings.HasPrefix(path, "adapters.")
}

// probe assembles as much as possible of an invalid configuration on a database in memory, to find problems in
// contributions and errors of modules, too. It does not report keys again that already have a problem.
func probe(c Config, known config.Problems) config.Problems {
	db, err := bunstore.Open(context.Background(), bunstore.Config{URL: "sqlite::memory:"})
	if err != nil {
		return nil
	}
	defer func() { _ = db.Close() }()
	log := slog.New(slog.DiscardHandler)
	node := nodes.New(nodes.Options{DB: db, Clock: stoppedClock{}, Log: log})
	_, err = assemble(c, db, stoppedClock{}, log, "", node, nil, nil, kit.Parts{}, false)
	var ps config.Problems
	_ = errors.As(err, &ps) // other errors may be caused by missing parts
	return slices.DeleteFunc(ps, func(p config.Problem) bool {
		return section(p.Path) && slices.ContainsFunc(known, func(k config.Problem) bool {
			return k.Path == p.Path || strings.Contains(p.Text, k.Path)
		})
	})
}

// fxLogger logs fx's events, including errors, at debug level, since errors are returned and printed once.
func fxLogger(log *slog.Logger) fxevent.Logger {
	l := &fxevent.SlogLogger{Logger: log}
	l.UseLogLevel(slog.LevelDebug)
	l.UseErrorLevel(slog.LevelDebug)
	return l
}

// site is the server's public URL.
type site string

// URL implements ports.Site.
func (s site) URL() string { return string(s) }

// stoppedClock always returns the zero time, for servers that are assembled but never started.
type stoppedClock struct{}

// Now returns the zero time.
func (stoppedClock) Now() time.Time { return time.Time{} }
