package kittest

import (
	"context"
	"log/slog"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/adapters/bunstore/storetest"
	"github.com/stoachat/stoa/app"
	"github.com/stoachat/stoa/app/kittest/testrun"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/kit/openapi"
)

// Server is a running server with users and channels. Its fields Realm (the realm's ID), Clock, URL, Client, Ports and
// App are those of an embedded struct, which go doc does not show.
type Server struct {
	T testing.TB
	*running
}

// running holds the state shared by all Servers returned by In.
type running struct {
	App    *app.Server
	Ports  app.Ports
	URL    string // http://127.0.0.1:port
	Client *http.Client
	Clock  *Clock
	Realm  realm.ID

	options Options
	modules []kit.Module
	db      *bunstore.DB // outlives a restart if it is in memory
	people  []*person
	rooms   []*room
	seen    event.Seq
	dataDir string
	checker func() *openapi.Checker // of the running modules
}

// Options change how a server is started. The zero value is that used by Start.
type Options struct {
	Config      string       // YAML; its modules section may configure the modules under test, which run in any case
	DatabaseURL string       // "": Memory or Elsewhere, according to STOA_TEST_DATABASE
	Clock       *Clock       // nil: a new one
	Log         *slog.Logger // nil: the test's log
	Observe     func(string) // receives every statement, concurrently; may be nil
	RandomCalls bool         // its calls are random: no test must fail because one causes a rare, undescribed event
}

// Start starts a server with the given modules, and with stand-ins for realm, accounts and channels if these are
// missing. The server is stopped at the end of the test.
func Start(t testing.TB, modules ...kit.Module) *Server {
	t.Helper()
	return StartWith(t, Options{}, modules...)
}

// StartWith is Start with options.
func StartWith(t testing.TB, o Options, modules ...kit.Module) *Server {
	t.Helper()
	s := &Server{
		t,
		&running{
			options: o,
			Client:  &http.Client{Timeout: testrun.Patience, Transport: &http.Transport{}, CheckRedirect: refuseRedirects},
			Clock:   o.Clock,
		},
	}
	s.people, s.rooms = people(), rooms()
	if s.Clock == nil {
		s.Clock = NewClock()
	}
	if s.options.DatabaseURL == "" {
		if os.Getenv("STOA_TEST_SCOPE") == "marked" {
			t.Skip("STOA_TEST_SCOPE=marked: this test does not use EachDatabase")
		}
		s.options.DatabaseURL = DatabaseURL(t)
	}
	standin := standinsFor(modules)
	s.modules = slices.Concat(standin.modules(s), modules)
	s.dataDir = t.TempDir()
	s.must("close the data folder", os.Chmod(s.dataDir, 0o700)) //nolint:gosec // a directory
	if w := s.template(modules); w != nil {
		s.startFromTemplate(w)
	} else {
		s.startEmpty(standin)
	}
	s.Skip()
	return s
}

// startEmpty starts the server on an empty database, and creates the predefined users and channels.
func (s *Server) startEmpty(standin standins) {
	s.T.Helper()
	switch s.options.DatabaseURL {
	case Memory:
		s.open(Memory)
	case Elsewhere:
		s.options.DatabaseURL = Postgres(s.T)
	}
	if s.options.Observe != nil && s.db == nil {
		s.open(s.options.DatabaseURL)
	}
	s.T.Cleanup(s.stopAndClose)
	s.start()
	s.populate(s.T.Context(), standin)
}

func (s *Server) open(url string) {
	s.T.Helper()
	db, err := bunstore.Open(
		s.T.Context(),
		bunstore.Config{URL: url, Observe: s.options.Observe, Patience: storetest.Patience},
	)
	s.must("open the database", err)
	s.db = db
}

// refuseRedirects returns redirects to the test instead of following them.
func refuseRedirects(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// In returns the same server for a subtest, which then reports failures.
func (s *Server) In(t testing.TB) *Server { return &Server{t, s.running} }

// Restart stops the server and starts another one on the same database.
func (s *Server) Restart() {
	s.T.Helper()
	s.stop()
	s.start()
}

// Another starts another node: an additional server on the same database, with the same clock. It is stopped at the end
// of the test.
func (s *Server) Another() *Server {
	s.T.Helper()
	second := *s.running
	second.App, second.Client = nil, &http.Client{Timeout: testrun.Patience, Transport: &http.Transport{}}
	n := &Server{s.T, &second}
	s.T.Cleanup(n.stop)
	n.start()
	return n
}

// RestartWith is Restart with a new Options.Config.
func (s *Server) RestartWith(config string) {
	s.T.Helper()
	s.stop()
	s.options.Config = config
	s.start()
}

// RestartWithout is Restart without the named modules. Later starts have them again.
func (s *Server) RestartWithout(names ...string) {
	s.T.Helper()
	all := s.modules
	defer func() { s.modules = all }()
	s.modules = slices.DeleteFunc(slices.Clone(all), func(m kit.Module) bool {
		return m.Slot == "" && slices.Contains(names, m.Name)
	})
	s.Restart()
}

// Do runs fn in a unit of work.
func (s *Server) Do(fn func(ctx context.Context) error) {
	s.T.Helper()
	s.must("unit of work", s.Ports.Work.Do(s.T.Context(), fn))
}

// Run runs a hook event in a unit of work, and returns the error of its hooks.
func (s *Server) Run(hookEvent any) error {
	s.T.Helper()
	return s.Ports.Work.Do(s.T.Context(), func(ctx context.Context) error { return s.Ports.Hooks.Run(ctx, hookEvent) })
}

// RunJob runs a job now. Its full name is module.job.
func (s *Server) RunJob(name string) {
	s.T.Helper()
	s.must("job "+name, s.App.RunJob(s.T.Context(), name))
}

// Renew renews what this node holds, and frees what nodes hold that have not renewed theirs for some seconds of the
// clock. Nodes do neither by themselves.
func (s *Server) Renew() {
	s.T.Helper()
	s.must("renew the node", s.App.RenewNode(s.T.Context()))
}

func (s *Server) start() {
	s.T.Helper()
	log := s.options.Log
	if log == nil {
		log = slog.New(slog.NewTextHandler(writer{s.T}, &slog.HandlerOptions{Level: slog.LevelWarn}))
	}
	text := withoutLimits(withSecret(s.options.Config))
	for _, m := range s.modules {
		text = addModule(text, m)
	}
	a, err := app.New(s.T.Context(), app.Options{
		ConfigText: text, Set: map[string]string{
			"http.addr": "127.0.0.1:0", "database.url": s.options.DatabaseURL, "data_dir": s.dataDir,
		},
		Log: log, Clock: s.Clock, DB: s.db, ManualJobs: true, Patience: storetest.Patience,
		Wrap: s.witnessed,
	}, s.modules...)
	if hint := advice(err); hint != "" {
		s.T.Fatalf("kittest: assemble:\n%v%s", err, hint)
	}
	s.must("assemble", err)
	s.App, s.Ports, s.checker = a, a.Ports, checkerOf(a.Modules())
	s.must("start", a.Serve(s.T.Context()))
	s.URL = "http://" + a.Addr()
}

func (s *Server) stop() {
	s.T.Helper()
	s.Client.CloseIdleConnections()
	if s.App == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), testrun.Patience)
	defer cancel()
	if err := s.App.Stop(ctx); err != nil {
		s.T.Errorf("kittest: stop: %v", err)
	}
	s.App = nil
}

func (s *Server) stopAndClose() {
	s.stop()
	if s.db != nil {
		if err := s.db.Close(); err != nil {
			s.T.Errorf("kittest: close the database: %v", err)
		}
	}
}

// writer writes log lines to the test's log. An error line fails the test, because no request is allowed to cause one.
type writer struct{ t testing.TB }

// Write logs one line.
func (w writer) Write(b []byte) (int, error) {
	line := strings.TrimRight(string(b), "\n")
	if strings.Contains(line, " level=ERROR ") {
		w.t.Errorf("%s", line)
	} else {
		w.t.Logf("%s", line)
	}
	return len(b), nil
}
