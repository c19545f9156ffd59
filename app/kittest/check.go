package kittest

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/app"
	"github.com/stoachat/stoa/app/kittest/testrun"
	"github.com/stoachat/stoa/modules/kit"
)

var moduleName = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)

// Check checks that a module follows the rules for all modules: its defaults can be decoded and are valid; it can be
// assembled, together with others that provide what it needs and stand-ins for realm, accounts and channels; it starts,
// stops and restarts on the same database without leaking goroutines; its migrations state their kinds, and create the
// same tables on both databases; it declares each of them once (kit.Table); and each route has an access rule and a
// description.
func Check(t *testing.T, m kit.Module, others ...kit.Module) {
	t.Helper()
	t.Run("names", func(t *testing.T) {
		if !moduleName.MatchString(m.Name) {
			t.Errorf("the name %q must consist of lower-case letters, digits and _", m.Name)
		}
		if m.Doc == "" || !strings.HasSuffix(m.Doc, ".") {
			t.Errorf("the doc %q is not a sentence", m.Doc)
		}
	})
	t.Run("secrets", func(t *testing.T) {
		for _, key := range PlainSecrets(reflect.TypeOf(m.Defaults)) {
			t.Errorf("%s: is printed by stoa config print; give it the type kit.Secret", key)
		}
	})
	t.Run("migrations", func(t *testing.T) { checkSchema(t, slices.Concat(others, []kit.Module{m})) })
	EachDatabase(t, func(t *testing.T, url string) {
		url = Real(t, url)
		s := &Server{t, &running{}}
		s.people, s.rooms = people(), rooms()
		all := slices.Concat(others, []kit.Module{m})
		all = slices.Concat(standinsFor(all).modules(s), all)
		parts := checkRuns(t, url, all, m)
		checkRoutes(t, m.Name, parts.Endpoints)
	})
}

// checkRuns starts and stops the modules twice, and returns the contributions of m.
func checkRuns(t *testing.T, url string, all []kit.Module, m kit.Module) kit.Parts {
	t.Helper()
	leaks := goleak.IgnoreCurrent()
	db, err := bunstore.Open(t.Context(), bunstore.Config{URL: url})
	if err != nil {
		t.Fatal(err)
	}
	var parts kit.Parts
	for range 2 {
		a := assemble(t, db, url, all)
		if err := a.Serve(t.Context()); err != nil {
			t.Fatalf("start: %v", err)
		}
		healthy(t, "http://"+a.Addr()+"/health")
		i := slices.IndexFunc(a.Modules().Modules, func(c kit.Contribution) bool { return c.Module == m.Name })
		if i >= 0 {
			parts = a.Modules().Modules[i].Parts
		}
		checkBacklogs(t, db, parts.Jobs)
		ctx, cancel := context.WithTimeout(context.Background(), testrun.Patience)
		if err := a.Stop(ctx); err != nil {
			t.Errorf("stop: %v", err)
		}
		cancel()
	}
	if err := db.Close(); err != nil {
		t.Errorf("close the database: %v", err)
	}
	// fasthttp has a global clock, and a cleaner that checks only every ten seconds whether it is still needed.
	goleak.VerifyNone(t, leaks, goleak.IgnoreAnyFunction("github.com/valyala/fasthttp.updateServerDate.func1"),
		goleak.IgnoreAnyFunction("github.com/valyala/fasthttp.(*workerPool).Start.func2"))
	return parts
}

// checkBacklogs selects when the backlogs of jobs are due, as the server does.
func checkBacklogs(t *testing.T, db *bunstore.DB, jobs []kit.Job) {
	t.Helper()
	for _, j := range jobs {
		if j.Backlog == nil {
			continue
		}
		var due any
		err := db.From(t.Context()).QueryRowContext(t.Context(), "SELECT ("+j.Backlog.Earliest+")").Scan(&due)
		if err != nil {
			t.Errorf("the backlog of job %q: %v", j.Name, err)
		}
	}
}

func healthy(t *testing.T, url string) {
	t.Helper()
	client := &http.Client{Timeout: testrun.Patience, Transport: &http.Transport{DisableKeepAlives: true}}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	res, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	if b, _ := io.ReadAll(res.Body); res.StatusCode != http.StatusOK {
		t.Errorf("GET /health: %d %s", res.StatusCode, b)
	}
}

func assemble(t *testing.T, db *bunstore.DB, url string, all []kit.Module) *app.Server {
	t.Helper()
	text := ""
	for _, m := range all {
		text = addModule(text, m)
	}
	a, err := app.New(t.Context(), app.Options{
		ConfigText: text, Set: map[string]string{"http.addr": "127.0.0.1:0", "database.url": url, "data_dir": t.TempDir()},
		Log: slog.New(slog.DiscardHandler), Clock: NewClock(), DB: db,
	}, all...)
	if err != nil {
		t.Fatalf("assemble:\n%v%s", err, advice(err))
	}
	return a
}

func checkRoutes(t *testing.T, module string, all []kit.Endpoint) {
	t.Helper()
	for _, e := range all {
		if e.Access.Name() == "" {
			t.Errorf("module %s: %s %s has no access rule", module, e.Method, e.Path)
		}
		if e.Doc == "" {
			t.Errorf("module %s: %s %s has no doc", module, e.Method, e.Path)
		}
		if e.Limit <= 0 {
			t.Errorf("module %s: %s %s has no limit on the body's size", module, e.Method, e.Path)
		}
	}
}

// checkSchema migrates both databases and compares their schemas.
func checkSchema(t *testing.T, all []kit.Module) {
	t.Helper()
	s := &Server{t, &running{}}
	s.people, s.rooms = people(), rooms()
	all = slices.Concat(standinsFor(all).modules(s), all)
	schemas := map[string][]bunstore.Column{}
	bothDatabases(t, func(t *testing.T, url string) {
		url = Real(t, url)
		db, err := bunstore.Open(t.Context(), bunstore.Config{URL: url})
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = db.Close() }()
		a := assemble(t, db, url, all)
		for _, m := range a.Migrations() {
			for _, problem := range bunstore.CheckKinds(m, nil) {
				t.Error(problem)
			}
		}
		for range 2 { // the second run must change nothing
			if err := db.Migrate(t.Context(), a.Migrations()); err != nil {
				t.Fatalf("migrate: %v", err)
			}
		}
		if schemas[url[:6]], err = db.Schema(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, problem := range Undeclared(schemas[url[:6]], a.Modules().Tables()) {
			t.Error(problem)
		}
		if err := a.Stop(t.Context()); err != nil {
			t.Error(err)
		}
	})
	if len(schemas) == 2 {
		for _, d := range bunstore.Differences(schemas["sqlite"], schemas["postgr"]) {
			t.Errorf("the tables differ (first: sqlite, second: postgres): %s", d)
		}
	}
}
