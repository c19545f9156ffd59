package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"runtime/debug"
	"strings"
	"time"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/adapters/fiberhttp"
	"github.com/stoachat/stoa/adapters/metrics"
	"github.com/stoachat/stoa/adapters/traces"
	"github.com/stoachat/stoa/app/internal/absence"
	"github.com/stoachat/stoa/app/internal/clock"
	"github.com/stoachat/stoa/app/internal/config"
	"github.com/stoachat/stoa/app/internal/health"
	"github.com/stoachat/stoa/app/internal/jobs"
	"github.com/stoachat/stoa/app/internal/kernel"
	"github.com/stoachat/stoa/app/internal/logs"
	"github.com/stoachat/stoa/app/internal/nodes"
	"github.com/stoachat/stoa/app/internal/settings"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

// Server is an assembled server.
type Server struct {
	Config Config
	Ports  Ports
	Log    *slog.Logger

	options  Options
	db       *bunstore.DB
	kernel   *kernel.Kernel
	modules  *kit.Collected
	node     *nodes.Node
	jobs     *jobs.Runner
	health   *health.Handler
	absences *absence.Keeper // nil: the configuration is incomplete
	http     *fiberhttp.Server
	metrics  *ports.Metrics  // nil: off
	scrapes  *metrics.Server // nil: off
	traces   *ports.Traces   // nil: off
	spans    *traces.Library // nil: off
	progress *progress       // of a migration
	addr     string
	started  []step

	maintenance *maintenance

	available []kit.Module // modules that the configuration can select
	root      *slog.Logger // of which all loggers are derived
	levels    *logs.Levels // nil: the log is not configured
	recent    *logs.Recent // the last lines of the log; nil: the log is not configured
	access    *logs.File   // the access log; nil: off
	flush     func()       // logs repetitions that were only counted; nil: the log is not configured
	terminal  bool         // the log is written to a terminal
	reloads   []kit.Reload
	applied   Config // the one that was loaded last
}

// ErrNoDatabase reports that the database does not exist yet.
var ErrNoDatabase = errors.New("there is no database yet")

// New reads the configuration, opens the database and assembles the modules, but starts nothing. The caller must call
// Stop, even without Start. Errors: config.Problems; one line with the key if the database cannot be opened.
func New(ctx context.Context, o Options, modules ...kit.Module) (*Server, error) {
	cfg, err := Read(o.Sources(), modules)
	if err != nil {
		return nil, err
	}
	s := &Server{Config: cfg, options: o, Log: o.Log, db: o.DB, available: modules, applied: cfg}
	if o.Clock == nil {
		s.options.Clock = clock.System{}
	}
	if s.Log == nil {
		if o.Err == nil {
			o.Err = os.Stderr
		}
		s.terminal = isTerminal(o.Err)
		s.recent = &logs.Recent{}
		s.Log, s.levels, s.flush = cfg.Settings.Log.logger(o.Err, s.terminal, s.options.Clock, s.recent)
	}
	s.progress = &progress{clock: s.options.Clock}
	s.root = s.Log
	s.Log = logs.For(s.root, "server")
	for _, text := range cfg.Warnings {
		s.Log.Warn(text)
	}
	if s.options.Version = o.Version; o.Version == "" {
		s.options.Version = BuildVersion()
	}
	if o.Kind == "" {
		s.options.Kind = "serve"
	}
	if o.Serving {
		if err := fiberhttp.CheckAddr(ctx, cfg.Settings.HTTP.Addr); err != nil {
			return nil, err
		}
	}
	if m := cfg.Settings.Metrics; m.Addr != "" {
		library := metrics.New(s.options.Clock)
		s.metrics, s.scrapes = ports.NewMetrics(library), metrics.NewServer(m, library)
	}
	if t := cfg.Settings.Traces; t.Endpoint != "" {
		s.spans = traces.New(t, s.options.Version, logs.For(s.root, "traces"))
		s.traces = ports.NewTraces(s.spans)
	}
	if s.db == nil {
		if s.db, err = open(ctx, cfg.Settings, o); err != nil {
			return nil, err
		}
	}
	s.db.Measure(s.metrics, s.traces, s.options.Clock)
	if err := s.assemble(); err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

// developed is the version of programs that were built from a working copy.
const developed = "(devel)"

// BuildVersion returns the version in the program's build info.
func BuildVersion() string {
	if b, ok := debug.ReadBuildInfo(); ok && b.Main.Version != "" {
		return b.Main.Version
	}
	return developed
}

// Inspect is New on an empty database in memory, for inspection. The result must not be started.
func Inspect(ctx context.Context, from config.Sources, modules ...kit.Module) (*Server, error) {
	db, err := bunstore.Open(ctx, bunstore.Config{URL: "sqlite::memory:"})
	if err != nil {
		return nil, err
	}
	s, err := New(ctx, Options{
		ConfigFile: from.File, ConfigText: from.Text, ConfigBase: from.Base, Environ: from.Environ, Set: from.Set,
		Add: from.Add,
		Log: slog.New(slog.DiscardHandler), DB: db,
	}, modules...)
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	s.options.DB = nil // so that Stop closes it
	return s, nil
}

func (s *Server) assemble() error {
	s.maintenance = &maintenance{s: s}
	s.node = nodes.New(nodes.Options{
		DB: s.db, Clock: s.options.Clock, Log: logs.For(s.root, "nodes"), Kind: s.options.Kind, Version: s.options.Version,
		Migrations: s.Migrations, Leases: s.leases, Manual: s.options.ManualJobs, Maintained: s.maintenance.learn,
		Modules: s.serving,
	})
	a, err := assemble(s.Config, s.db, s.options.Clock, s.root, ports.Version(s.options.Version), s.node, s.metrics,
		s.traces, s.parts(), true)
	if err != nil {
		return err
	}
	s.node.Evicted, s.node.Observe = func() { s.jobs.Freed() }, a.kernel.ObserveDatabase
	s.kernel, s.modules, s.Ports = a.kernel, a.collected, a.ports
	s.health, s.reloads, s.absences = a.health, a.reloads, a.absences
	s.jobs = jobs.New(a.collected.Modules, s.db, a.kernel, s.node, s.options.Clock, logs.For(s.root, "jobs"))
	s.jobs.Database = a.kernel
	s.jobs.Traces, s.jobs.Panics = s.traces, a.collected.Panics
	s.jobs.Measure(s.metrics)
	s.measure()
	requests, file := s.Config.Settings.Log.Access.logger(s.Log)
	s.access = file
	if wrap := s.options.Wrap; wrap != nil {
		for _, m := range a.collected.Modules {
			for i, e := range m.Parts.Endpoints {
				m.Parts.Endpoints[i] = wrap(e)
			}
		}
	}
	s.http, err = fiberhttp.New(s.Config.Settings.HTTP, fiberhttp.Deps{
		Collected: a.collected, Directory: a.kernel, Realms: a.ports.Realms, Authenticator: a.ports.Authenticator,
		Sessions: a.ports.Sessions, Spectators: a.ports.Spectators, ClientError: a.kernel.ClientError,
		Down: a.kernel.Down, Maintenance: s.maintenance.why,
		Clock: s.options.Clock, Log: logs.For(s.root, "http"), Access: requests, Metrics: s.metrics, Traces: s.traces,
	})
	if err != nil {
		return fmt.Errorf("http: %w", err)
	}
	s.kernel.OnHint(limitsSubject, s.hearSpent)
	s.health.Alive, s.health.Token = s.http.Alive, string(s.Config.Settings.Metrics.Token)
	return nil
}

// open opens the configured database. If o.Existing is set, it creates neither the database nor the data folder.
// Errors: ErrNoDatabase; one line with key, cause and remedy.
func open(ctx context.Context, set Settings, o Options) (*bunstore.DB, error) {
	url := set.DatabaseURL()
	if !o.Restoring {
		if err := checkLeftovers(set.DataDir, url); err != nil {
			return nil, err
		}
	}
	if set.Database.URL == "" {
		if o.Existing && missing(set.DataDir) {
			return nil, ErrNoDatabase
		}
		if err := writable(set.DataDir); err != nil {
			return nil, fmt.Errorf("data_dir: %w; choose another folder with --data-dir or STOA_DATA_DIR", err)
		}
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second*time.Duration(max(1, o.Patience)))
	defer cancel()
	db, err := bunstore.Open(
		ctx,
		bunstore.Config{
			URL: url, NotifyURL: set.Database.NotifyURL, MaxConns: set.Database.MaxConns, Patience: o.Patience,
			Existing: o.Existing, Exclusive: o.Serving || o.Restoring, Lazy: o.Serving,
		},
	)
	var openErr *bunstore.OpenError
	var inUse *bunstore.InUseError
	switch {
	case errors.As(err, &inUse):
		return nil, fmt.Errorf("database.url: %w; stop that server first, or set another database or --data-dir", inUse)
	case errors.Is(err, bunstore.ErrMissing):
		return nil, ErrNoDatabase
	case errors.As(err, &openErr):
		return nil, databaseProblem(err)
	case err != nil:
		cause := config.Masked(strings.ReplaceAll(err.Error(), "\n", "; "))
		return nil, fmt.Errorf(
			"database.url: can't open %s: %s; name another database with --database-url or STOA_DATABASE_URL",
			config.Masked(url),
			cause,
		)
	}
	return db, nil
}

func missing(dir string) bool {
	_, err := os.Stat(dir)
	return errors.Is(err, fs.ErrNotExist)
}

// writable creates a folder if necessary, and checks that files can be created in it.
func writable(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("can't create the folder %s: %w", dir, cause(err))
	}
	f, err := os.CreateTemp(dir, ".stoa-*")
	if err != nil {
		return fmt.Errorf("can't write to the folder %s: %w", dir, cause(err))
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

func cause(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

// Modules returns the modules' contributions.
func (s *Server) Modules() *kit.Collected { return s.modules }

// Addr returns the host:port that the server listens on.
func (s *Server) Addr() string { return s.addr }

// URL returns the address that people enter and that links begin with: http.url or, if that is not configured, the
// address that the server listens on, in which this machine is called localhost.
func (s *Server) URL() string {
	if u := s.Config.Settings.HTTP.URL; u != "" {
		return strings.TrimRight(u, "/")
	}
	addr := cmp.Or(s.addr, s.Config.Settings.HTTP.Addr)
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return "http://" + addr
	}
	switch host {
	case "", "0.0.0.0", "::", "127.0.0.1", "::1":
		host = "localhost"
	}
	return "http://" + net.JoinHostPort(host, port)
}

// MetricsAddr returns the host:port at which /metrics is served, or "".
func (s *Server) MetricsAddr() string {
	if s.scrapes == nil {
		return ""
	}
	return s.scrapes.Addr()
}

// Alive reports whether the process is not stuck.
func (s *Server) Alive() bool { return s.http.Alive() }

// DB returns the database.
func (s *Server) DB() *bunstore.DB { return s.db }

// RunJob runs a job now. Its full name is module.job.
func (s *Server) RunJob(ctx context.Context, name string) error { return s.jobs.Run(ctx, name) }

// RenewNode renews the leases of this node, and frees those of dead nodes.
func (s *Server) RenewNode(ctx context.Context) error {
	_, err := s.node.Renew(ctx)
	return err
}

// Migrations returns the migrations of the kernel, and then of all modules in order.
func (s *Server) Migrations() []bunstore.Migrations {
	all := []bunstore.Migrations{
		kernel.Migrations(), nodes.Migrations(), {Module: "jobs", FS: jobs.Migrations}, absence.Migrations(),
		settings.Migrations(),
	}
	for _, m := range s.modules.Modules {
		if m.Parts.Migrations != nil {
			all = append(all, bunstore.Migrations{Module: m.Module, Former: s.former(m.Module), FS: m.Parts.Migrations})
		}
	}
	return all
}

// noticeAbsences records which modules of the database this server leaves out, and which have returned.
func (s *Server) noticeAbsences(ctx context.Context) error {
	if s.absences == nil {
		return nil
	}
	var others []string
	for _, m := range s.Migrations() {
		others = append(others, m.Module)
	}
	for _, m := range s.available {
		others = append(others, m.OldName)
	}
	return s.absences.Start(ctx, others)
}

// serving returns the names of the modules if the process is a server.
func (s *Server) serving() []string {
	if s.options.Kind != "serve" {
		return nil
	}
	return s.modules.Names()
}

// leases returns the leases of all modules.
func (s *Server) leases() []kit.Lease {
	var all []kit.Lease
	for _, m := range s.modules.Modules {
		all = append(all, m.Parts.Leases...)
	}
	return all
}

// former returns a module's name in earlier versions, or "".
func (s *Server) former(module string) string {
	for _, c := range s.Config.Plan {
		if c.Slot == "" && c.Name == module {
			return c.OldName
		}
	}
	return ""
}

func (s *Server) close() error {
	if s.flush != nil {
		s.flush()
	}
	if s.options.DB != nil || s.db == nil {
		return nil
	}
	return s.db.Close()
}
