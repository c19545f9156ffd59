package kit

import (
	"context"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/ports"
)

// Section is a section of the /register response.
type Section struct {
	Name string   // the name in fetch_event_types
	With []string // the section is included only if all of these names are also requested
	Res  reflect.Type
	// Shown describes the section instead of Res; see Shows
	Shown reflect.Type
	Load  func(ctx context.Context, a Actor, f Fetch) (any, error)

	spect, named bool
	compressed   []string
}

// Fetch contains the parameters of /register that sections depend on.
type Fetch struct {
	event.Client
	PresenceDays  *int   // presence_history_limit_days, not negative
	PresenceAfter *int64 // presence_last_update_id
}

// Register declares a section. T is a struct or a map whose fields become keys of the response. All sections of a
// response read the same snapshot. Several modules may declare sections with the same name if their keys differ.
func Register[T any](name string, load func(context.Context, Actor, event.Client) (T, error)) Section {
	return RegisterFor(name, func(ctx context.Context, a Actor, f Fetch) (T, error) { return load(ctx, a, f.Client) })
}

// RegisterFor is like Register, for sections that depend on other parameters in Fetch.
func RegisterFor[T any](name string, load func(context.Context, Actor, Fetch) (T, error)) Section {
	return Section{
		Name: name,
		Res:  reflect.TypeFor[T](),
		Load: func(ctx context.Context, a Actor, f Fetch) (any, error) { return load(ctx, a, f) },
	}
}

// And includes the section only if name is also requested.
func (s Section) And(name string) Section { s.With = append(s.With, name); return s }

// Spectators also includes the section for clients without login if the realm allows public access. Actor.User is then
// 0.
func (s Section) Spectators() Section { s.spect = true; return s }

// Named includes the section only for clients that request it by name, not for clients that request everything. It is
// for data that only older clients use.
func (s Section) Named() Section { s.named = true; return s }

// Compress has the values of keys compressed, each by itself, for clients that accept it. They must be without secrets
// such as keys and tokens.
func (s Section) Compress(keys ...string) Section { s.compressed = keys; return s }

// Compressed returns the keys whose values are compressed.
func (s Section) Compressed() []string { return s.compressed }

// NamedOnly reports whether the section must be requested by name.
func (s Section) NamedOnly() bool { return s.named }

// Spectating reports whether clients without login receive the section.
func (s Section) Spectating() bool { return s.spect }

// Hook is a handler of a hook event.
type Hook struct {
	Event   reflect.Type
	Rank    int
	Run     func(ctx context.Context, event any) error
	Handler string // the name of the function, as in stoa modules --map
	Repeats bool   // see Again
	Among   Listed // see AgainAmong
}

// Listed returns the next of a realm's messages about which a module has rows: at most limit, in ascending order of ID,
// with IDs above after.
type Listed func(ctx context.Context, r realm.ID, after message.ID, limit int) ([]message.ID, error)

// On returns a handler of the hook event T. Handlers run in the order of their ranks, then of their module names.
func On[T any](run func(context.Context, *T) error) Hook {
	return Hook{
		Event: reflect.TypeFor[T](), Handler: functionName(run),
		Run: func(ctx context.Context, m any) error { return run(ctx, m.(*T)) },
	}
}

// Order sets the handler's rank. Handlers with lower ranks run first. The default is 0.
func (h Hook) Order(n int) Hook { h.Rank = n; return h }

// Again lets the handler run again when its module returns after it was left out of the configuration, for what may
// have happened meanwhile: user.Joined for all users who have joined since, user.Deactivated for all who are
// deactivated, user.RoleChanged for all others as if they had been owners, user.ProfileDeleted for all without a
// profile, and user.KeysRevoked and user.LoginChanged for everyone. If nothing is left to do, the handler must change
// nothing.
func (h Hook) Again() Hook { h.Repeats = true; return h }

// AgainAmong lets a handler of message.Deleted run again when its module returns, for those of the messages that the
// module has rows about that no longer exist. Of these, it is given only the IDs.
func (h Hook) AgainAmong(list Listed) Hook { h.Among = list; return h }

// Follows reports whether the handler runs because its module returns.
func (h Hook) Follows() bool {
	return h.Repeats || h.Among != nil || h.Event == reflect.TypeFor[message.Missed]()
}

// BlobKeys lists the blobs that a module's rows reference, for stoa blobs check.
type BlobKeys struct {
	Prefix string // the prefix of all keys: ends in a slash, and is unique to the module
	// List returns at most limit keys greater than after, sorted in byte order.
	List func(ctx context.Context, after string, limit int) ([]BlobKey, error)
}

// BlobKey is a blob's key.
type BlobKey struct {
	Key      string
	Optional bool // the blob may be missing
}

// Job is background work that runs periodically, for the first time when a server with the job first starts. The time
// of the next run is stored, so restarts neither delay nor repeat runs. For jobs with Everywhere, nothing is stored:
// their first run is Every after the start. A job with a Backlog runs only while work is due, then at once.
type Job struct {
	Name       string        // unique in the module
	Every      time.Duration // the interval between the starts of two runs; with a Backlog, the shortest interval
	Backlog    *Backlog      // the work that the job does; nil: the job runs at every interval
	Timeout    time.Duration // the maximum duration of a run; 0 means Every
	Everywhere bool          // runs on every node; otherwise on one node at a time
	// Deletes is set if the job deletes data because of its age. It is then not run for a day after the clock was set
	// forward, which may be a mistake.
	Deletes bool
	Run     func(context.Context) error
}

// Check is a health check of a dependency of the module. It fails if Run returns an error.
type Check struct {
	Name  string
	Run   func(context.Context) error
	Minor bool // failures are reported, but the server remains ready
}

// Collected holds the contributions of all modules of a server. It is empty while modules are wired, and complete
// before anything starts.
type Collected struct {
	Modules   []Contribution
	Endpoints []Endpoint
	Sections  []Section
	Events    map[string]AnyEvent       // by Type + "/" + Op
	Answers   map[reflect.Type][]Answer // by question type, in the order of ranks and module names
	Operators map[string]Operator       // of narrows, by name
	// rate classes with the limits in force: of the server by name, of modules by module.name
	Rates      map[string]RateClass
	RateWindow time.Duration // over which these limits refill
	Traces     *ports.Traces // nil: off
	Panics     *Panics
}

// Event returns the declaration of an event type, or false if no module declares it.
func (c *Collected) Event(typ, op string) (AnyEvent, bool) {
	e, ok := c.Events[typ+"/"+op]
	return e, ok
}

// Command returns a command by its name, or false if no module declares it.
func (c *Collected) Command(name string) (Command, bool) {
	for _, m := range c.Modules {
		for _, command := range m.Parts.Commands {
			if command.Name == name {
				return command, true
			}
		}
	}
	return Command{}, false
}

// OwnBot reports whether a module declares a bot of its own with a short name, in any letter case.
func (c *Collected) OwnBot(short string) bool {
	short = strings.ToLower(short)
	return slices.ContainsFunc(c.Modules, func(m Contribution) bool {
		return slices.ContainsFunc(m.Parts.Bots, func(name string) bool {
			prefix, all := strings.CutSuffix(name, "*")
			return short == name || all && strings.HasPrefix(short, prefix)
		})
	})
}

// Names returns the names of the configured modules, sorted, without the server's own part.
func (c *Collected) Names() []string {
	names := make([]string, 0, len(c.Modules))
	for _, m := range c.Modules {
		if m.Module != ServerPart {
			names = append(names, m.Module)
		}
	}
	slices.Sort(names)
	return names
}

// ServerPart is the name under which the server contributes parts of its own, such as its health checks.
const ServerPart = "server"

// Tables returns the tables of all modules.
func (c *Collected) Tables() []Table {
	var all []Table
	for _, m := range c.Modules {
		all = append(all, m.Parts.Tables...)
	}
	return all
}

// Handled reports whether any module has a hook for the hook event T.
func Handled[T any](c *Collected) bool {
	for _, m := range c.Modules {
		for _, h := range m.Parts.Hooks {
			if h.Event == reflect.TypeFor[T]() {
				return true
			}
		}
	}
	return false
}

// Mounted reports whether a module has mounted a handler at a path, so that pages link only to routes that exist.
func (c *Collected) Mounted(path string) bool {
	return slices.ContainsFunc(c.Endpoints, func(e Endpoint) bool { return e.Handler != nil && e.Path == path })
}

// Tx runs fn in a unit of work and returns its result.
func Tx[T any](ctx context.Context, w ports.UnitOfWork, fn func(context.Context) (T, error)) (T, error) {
	var out T
	err := w.Do(ctx, func(ctx context.Context) error {
		var err error
		out, err = fn(ctx)
		return err
	})
	return out, err
}
