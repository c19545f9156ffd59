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

// world is the realm described in doc.go, in a separate database without connections, from which the databases of tests
// are copied: migrating the tables and creating all users takes longer than most tests.
type world struct {
	kind    string // of the database
	config  string
	at      time.Time
	modules []kit.Module

	once   sync.Once
	made   bool
	until  time.Time // when it was made, by a ticking clock
	realm  realm.ID
	people []person
	rooms  []room
	file   []byte // the database, for SQLite
	name   string // of the database, for PostgreSQL

	restore string // SQL that restores the rows of a copy
	shape   string // digest of its tables
	size    int64  // in bytes
	mu      sync.Mutex
	copies  []string // URLs of unused copies
}

// worlds holds the worlds of this process.
var worlds struct {
	sync.Mutex
	all []*world
}

// world returns the one to copy, or nil for a test that must create its own: one that provides or observes its
// database, and the first with these modules and configuration, which may be the only one.
func (s *Server) world(modules []kit.Module) *world {
	s.T.Helper()
	if s.options.Observe != nil {
		return nil
	}
	kind := sqlite
	switch s.options.DatabaseURL {
	case Memory:
	case Elsewhere:
		kind = postgres
	default:
		return nil
	}
	config, err := essence(s.options.Config)
	if err != nil {
		return nil // the server reports it
	}
	w, first := worldOf(kind, config, s.Clock.Now(), modules)
	if first {
		return nil
	}
	w.once.Do(func() { w.make(s, modules) })
	if !w.made {
		return nil
	}
	return w
}

func worldOf(kind, config string, at time.Time, modules []kit.Module) (w *world, first bool) {
	worlds.Lock()
	defer worlds.Unlock()
	for _, w := range worlds.all {
		if w.kind == kind && w.config == config && w.at.Equal(at) && slices.EqualFunc(w.modules, modules, alike) {
			return w, false
		}
	}
	w = &world{kind: kind, config: config, at: at, modules: modules}
	worlds.all = append(worlds.all, w)
	return w, true
}

// alike reports whether two modules create the same world: the same module, or adapters of the same name, which have no
// tables.
func alike(a, b kit.Module) bool {
	return a.Same(b) || a.Slot != "" && a.Slot == b.Slot && a.Name == b.Name
}

// essence returns the part of a configuration that affects how a world is created: the server's own keys except those
// of HTTP, and those of the modules that create realms, users and channels. An existing world can be served with any
// other keys.
func essence(text string) (string, error) {
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

// make creates the world with a server like s, with its modules. Files are not copied, so a world with files is
// useless.
func (w *world) make(s *Server, modules []kit.Module) {
	s.T.Helper()
	n := &Server{s.T, &running{options: s.options, Client: s.Client, Clock: s.Clock, dataDir: s.T.TempDir()}}
	n.people, n.rooms = people(), rooms()
	stood := standinsFor(modules)
	n.modules = slices.Concat(stood.modules(n), modules)
	if w.kind == sqlite {
		n.options.DatabaseURL = storetest.SQLiteURL(s.T)
	} else {
		w.name, n.options.DatabaseURL = template(s.T)
	}
	n.begin(stood)
	n.stop()
	if left, err := os.ReadDir(n.dataDir); err != nil || len(left) > 0 {
		return
	}
	if w.kind == sqlite {
		file, err := os.ReadFile(path(n.options.DatabaseURL))
		s.must("read the database", err)
		w.file = file
	} else {
		w.preserve(s.T, n.options.DatabaseURL)
	}
	w.until, w.realm = s.Clock.Now(), n.Realm
	for _, p := range n.people {
		w.people = append(w.people, *p)
	}
	for _, r := range n.rooms {
		w.rooms = append(w.rooms, *r)
	}
	w.made = true
}

// resume starts on a copy.
func (s *Server) resume(w *world) {
	s.T.Helper()
	if w.kind == sqlite {
		url := storetest.SQLiteURL(s.T)
		s.must("copy the database", os.WriteFile(path(url), w.file, 0o600))
		s.open(url)
	} else {
		s.options.DatabaseURL = w.lend(s.T)
	}
	if s.Clock.Now().Before(w.until) {
		s.Clock.Set(w.until)
	}
	s.Realm = w.realm
	for i := range w.people {
		*s.people[i] = w.people[i]
	}
	for i := range w.rooms {
		*s.rooms[i] = w.rooms[i]
	}
	s.T.Cleanup(s.end)
	s.start()
}

func path(url string) string { return strings.TrimPrefix(url, "sqlite:") }
