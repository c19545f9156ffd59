package kit

import (
	"context"
	"reflect"
	"slices"
	"time"

	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/ports"
)

// Section is a part of the /register answer.
type Section struct {
	Name string   // the name in fetch_event_types
	With []string // given only when these are asked for as well
	Res  reflect.Type
	Load func(ctx context.Context, a Actor, f Fetch) (any, error)

	spect, named bool
}

// Fetch is what a registration asks of the snapshot.
type Fetch struct {
	event.Client
	PresenceDays  *int   // presence_history_limit_days, not negative
	PresenceAfter *int64 // presence_last_update_id
}

// Register declares a section: T is a struct or a map whose fields become keys of the answer. All sections of one
// answer read one snapshot. The name may repeat among modules; a key may not.
func Register[T any](name string, load func(context.Context, Actor, event.Client) (T, error)) Section {
	return RegisterFor(name, func(ctx context.Context, a Actor, f Fetch) (T, error) { return load(ctx, a, f.Client) })
}

// RegisterFor is Register for a section that depends on more than the kind of client.
func RegisterFor[T any](name string, load func(context.Context, Actor, Fetch) (T, error)) Section {
	return Section{
		Name: name,
		Res:  reflect.TypeFor[T](),
		Load: func(ctx context.Context, a Actor, f Fetch) (any, error) { return load(ctx, a, f) },
	}
}

// And gives the section only when another name is asked for as well (unread_msgs).
func (s Section) And(name string) Section { s.With = append(s.With, name); return s }

// Spectators gives the section also to those who are not logged in, where the realm lets them in: its actor is then no
// user.
func (s Section) Spectators() Section { s.spect = true; return s }

// Named gives the section only to those who name it, and not to those who ask for everything: what only older clients
// read.
func (s Section) Named() Section { s.named = true; return s }

// NamedOnly tells whether it has to be named.
func (s Section) NamedOnly() bool { return s.named }

// Spectating tells whether those are given it too.
func (s Section) Spectating() bool { return s.spect }

// Hook attaches to a moment.
type Hook struct {
	Moment reflect.Type
	Rank   int
	Run    func(ctx context.Context, moment any) error
}

// On attaches to the moment T. Within a moment hooks run by Order, then by module name.
func On[T any](run func(context.Context, *T) error) Hook {
	return Hook{Moment: reflect.TypeFor[T](), Run: func(ctx context.Context, m any) error { return run(ctx, m.(*T)) }}
}

// Order puts the hook before those with a larger number; without it, it is 0.
func (h Hook) Order(n int) Hook { h.Rank = n; return h }

// BlobKeys tells which blobs the rows of a module name, for stoa blobs check.
type BlobKeys struct {
	Prefix string // of the keys, with the slash at its end; of no other module
	// List returns at most limit of the keys that sort after another one, in the byte order of keys.
	List func(ctx context.Context, after string, limit int) ([]BlobKey, error)
}

// BlobKey is a key that a row names.
type BlobKey struct {
	Key      string
	Optional bool // the blob need not be there
}

// Job runs again and again in the background.
type Job struct {
	Name       string
	Every      time.Duration
	Timeout    time.Duration // of one run; 0: Every
	Everywhere bool          // on every node; otherwise on one at a time
	Run        func(context.Context) error
}

// Check tells whether something that the module needs works; nil is healthy.
type Check struct {
	Name  string
	Run   func(context.Context) error
	Minor bool // its failure is told, but the server goes on without what it checks: it should not be taken out of service
}

// Collected is what all modules of a running server have contributed. It exists, empty, while modules are wired, and is
// complete before anything starts.
type Collected struct {
	Modules   []Contribution
	Endpoints []Endpoint
	Sections  []Section
	Events    map[string]AnyEvent       // by Type + "/" + Op
	Answers   map[reflect.Type][]Answer // by the type of the question, ordered by module name
}

// Event finds an event's type.
func (c *Collected) Event(typ, op string) (AnyEvent, bool) {
	e, ok := c.Events[typ+"/"+op]
	return e, ok
}

// Handled reports whether any module has a hook for the hook event T.
func Handled[T any](c *Collected) bool {
	for _, m := range c.Modules {
		for _, h := range m.Parts.Hooks {
			if h.Moment == reflect.TypeFor[T]() {
				return true
			}
		}
	}
	return false
}

// Mounted reports whether a module has mounted a handler at a path: pages link only to what is there.
func (c *Collected) Mounted(path string) bool {
	return slices.ContainsFunc(c.Endpoints, func(e Endpoint) bool { return e.Handler != nil && e.Path == path })
}

// Tx runs fn in a unit of work and gives its result.
func Tx[T any](ctx context.Context, w ports.UnitOfWork, fn func(context.Context) (T, error)) (T, error) {
	var out T
	err := w.Do(ctx, func(ctx context.Context) error {
		var err error
		out, err = fn(ctx)
		return err
	})
	return out, err
}
