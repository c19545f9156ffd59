package kittest

import (
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/stoachat/stoa/adapters/bunstore/storetest"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/modules/kit"
)

// template is a database with the realm described in doc.go, without connections. The databases of tests are copied
// from it, because migrating the tables and creating all users takes longer than most tests.
type template struct {
	kind    string // the kind of database
	config  string
	at      time.Time
	modules []kit.Module

	once     sync.Once
	complete bool
	until    time.Time // when it was completed, by a ticking clock
	realm    realm.ID
	people   []person
	rooms    []room
	file     []byte // content of the database, for SQLite
	name     string // name of the database, for PostgreSQL

	restore string // SQL that restores the rows of a copy
	shape   string // digest of its tables
	size    int64  // in bytes
	mu      sync.Mutex
	copies  []string // URLs of unused copies
}

// templates holds the templates of this process.
var templates struct {
	sync.Mutex
	all []*template
}

// template returns the template to copy. It returns nil if the test must create its own database, because it provides
// the database or observes it on PostgreSQL, or because it is the first one with these modules and configuration, and
// may be the only one.
func (s *Server) template(modules []kit.Module) *template {
	s.T.Helper()
	kind := sqlite
	switch s.options.DatabaseURL {
	case Memory:
	case Elsewhere:
		if s.options.Observe != nil {
			return nil
		}
		kind = postgres
	default:
		return nil
	}
	config, err := templateConfig(s.options.Config)
	if err != nil {
		return nil // the server reports it
	}
	tmpl, first := templateFor(kind, config, s.Clock.Now(), modules)
	if first {
		return nil
	}
	tmpl.once.Do(func() { tmpl.create(s, modules) })
	if !tmpl.complete {
		return nil
	}
	return tmpl
}

func templateFor(kind, config string, at time.Time, modules []kit.Module) (tmpl *template, first bool) {
	templates.Lock()
	defer templates.Unlock()
	for _, tmpl := range templates.all {
		if tmpl.kind == kind && tmpl.config == config && tmpl.at.Equal(at) &&
			slices.EqualFunc(tmpl.modules, modules, interchangeable) {
			return tmpl, false
		}
	}
	tmpl = &template{kind: kind, config: config, at: at, modules: modules}
	templates.all = append(templates.all, tmpl)
	return tmpl, true
}

// interchangeable reports whether a template created with one module can be used for the other: if they are the same,
// or are adapters of the same name, which have no tables.
func interchangeable(a, b kit.Module) bool {
	return a.Same(b) || a.Slot != "" && a.Slot == b.Slot && a.Name == b.Name
}

// templateConfig returns the part of a configuration that affects what a template contains: the server's own keys
// except those of HTTP, and those of the modules that create realms, users and channels. A copy can be served with any
// other keys.
func templateConfig(text string) (string, error) {
	all := map[string]any{}
	if err := yaml.Unmarshal([]byte(text), &all); err != nil {
		return "", err
	}
	delete(all, "http")
	sections, _ := all["modules"].(map[string]any)
	maps.DeleteFunc(
		sections,
		func(name string, _ any) bool { return name != "realm" && name != "accounts" && name != "channels" },
	)
	if len(sections) == 0 {
		delete(all, "modules")
	}
	b, err := yaml.Marshal(all)
	return string(b), err
}

// create fills the template by running a server with the same options as s and the given modules. Files are not copied,
// so create fails if the server has stored any.
func (tmpl *template) create(s *Server, modules []kit.Module) {
	s.T.Helper()
	n := &Server{s.T, &running{options: s.options, Client: s.Client, Clock: s.Clock, dataDir: s.T.TempDir()}}
	n.people, n.rooms = people(), rooms()
	n.options.Observe = nil // kittest would keep the database open
	standin := standinsFor(modules)
	n.modules = slices.Concat(standin.modules(n), modules)
	if tmpl.kind == sqlite {
		n.options.DatabaseURL = storetest.SQLiteURL(s.T)
	} else {
		tmpl.name, n.options.DatabaseURL = createTemplate(s.T)
	}
	n.startEmpty(standin)
	n.stop()
	if left, err := os.ReadDir(n.dataDir); err != nil || len(left) > 0 {
		return
	}
	if tmpl.kind == sqlite {
		file, err := os.ReadFile(path(n.options.DatabaseURL))
		s.must("read the database", err)
		tmpl.file = file
	} else {
		tmpl.saveRows(s.T, n.options.DatabaseURL)
	}
	tmpl.until, tmpl.realm = s.Clock.Now(), n.Realm
	for _, p := range n.people {
		tmpl.people = append(tmpl.people, *p)
	}
	for _, r := range n.rooms {
		tmpl.rooms = append(tmpl.rooms, *r)
	}
	tmpl.complete = true
}

// startFromTemplate starts the server on a copy of a template.
func (s *Server) startFromTemplate(tmpl *template) {
	s.T.Helper()
	if tmpl.kind == sqlite {
		url := storetest.SQLiteURL(s.T)
		s.must("copy the database", os.WriteFile(path(url), tmpl.file, 0o600))
		s.open(url)
	} else {
		s.options.DatabaseURL = tmpl.borrow(s.T)
	}
	if s.Clock.Now().Before(tmpl.until) {
		s.Clock.Set(tmpl.until)
	}
	s.Realm = tmpl.realm
	for i := range tmpl.people {
		*s.people[i] = tmpl.people[i]
	}
	for i := range tmpl.rooms {
		*s.rooms[i] = tmpl.rooms[i]
	}
	s.T.Cleanup(s.stopAndClose)
	s.start()
}

func path(url string) string { return strings.TrimPrefix(url, "sqlite:") }
