package kit

import (
	"context"
	"fmt"
	"io/fs"
	"reflect"
	"time"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/domain/declared"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/realm"
)

// Parts lists a module's contributions to the server.
type Parts struct {
	Endpoints  []Endpoint
	Migrations fs.FS // migrations/NNN_name.sql, see modules/README.md
	Register   []Section
	Events     []AnyEvent
	Hooks      []Hook
	Answers    []Answer         // to queries of other modules
	Directory  []directory.Part // data that the module adds to the realm's view
	Jobs       []Job
	Tables     []Table // all tables that the migrations create
	Leases     []Lease
	Health     []Check
	Faults     []Fault        // of the configuration, with which a server can start
	Trials     []Trial        // of what the configuration refers to elsewhere
	Doctor     []Diagnosis    // checks of stoa doctor
	Blobs      []BlobKeys     // the blobs that the module's rows reference
	Commands   []Command      // administrative commands
	Slash      []SlashCommand // commands in the compose box
	Settings   []declared.Any // settings of the organization, of users and of channels
	Operators  []Operator     // of narrows
	Markdown   []Construct    // pieces of Markdown in messages that the module renders
	Rates      []RateClass    // rate classes of the module's routes
	Guides     []Guide        // pages of the description of the API
	Bots       []string       // short names of the module's own bots, see ports.Accounts; "x-*" is all that begin with x-
	Requests   Requests       // sees all requests to the server
	Web        WebPart        // additions to the web client
	Words      Words          // descriptions of parameters and keys, by name
	Schemas    []Schema       // names and forms of types in the description of the API
	Keys       []Keys         // keys of /register that no section describes
	// CatchUp is called when the module returns after it was left out of the configuration since a time, for each realm,
	// by a job, after the hooks of which that is true as well. It brings the module's rows up to date with what others
	// have changed meanwhile; nil if there is nothing.
	// After an error, it is called again. Until it has succeeded, the module's jobs with Deletes do not run.
	CatchUp func(ctx context.Context, r realm.ID, since time.Time) error
}

// Fault is a problem of a module's configuration that only time brings, such as an expired certificate, so that it must
// not keep the server from starting. stoa config check fails with it, and the server logs it at the start.
type Fault struct {
	Key  string // in the module's section
	Text string // cause and remedy
}

// Trial tries what a module's configuration refers to elsewhere, such as an identity provider. stoa config check
// --online runs all trials, and the health checks of adapters, which therefore need none.
type Trial struct {
	Key string // in the module's section
	// Run has 10 seconds. It changes nothing and uses no database. Its error says what fails and, after a semicolon,
	// what the operator does about it.
	Run func(context.Context) error
}

// With returns p with others, the parts of the module's internal packages, appended. Their Migrations, Web,
// Requests, Words and CatchUp are ignored.
func (p Parts) With(others ...Parts) Parts {
	for _, o := range others {
		p.Endpoints = append(p.Endpoints, o.Endpoints...)
		p.Register = append(p.Register, o.Register...)
		p.Events = append(p.Events, o.Events...)
		p.Hooks = append(p.Hooks, o.Hooks...)
		p.Answers = append(p.Answers, o.Answers...)
		p.Directory = append(p.Directory, o.Directory...)
		p.Jobs = append(p.Jobs, o.Jobs...)
		p.Tables = append(p.Tables, o.Tables...)
		p.Leases = append(p.Leases, o.Leases...)
		p.Health = append(p.Health, o.Health...)
		p.Faults = append(p.Faults, o.Faults...)
		p.Trials = append(p.Trials, o.Trials...)
		p.Doctor = append(p.Doctor, o.Doctor...)
		p.Blobs = append(p.Blobs, o.Blobs...)
		p.Commands = append(p.Commands, o.Commands...)
		p.Slash = append(p.Slash, o.Slash...)
		p.Settings = append(p.Settings, o.Settings...)
		p.Operators = append(p.Operators, o.Operators...)
		p.Markdown = append(p.Markdown, o.Markdown...)
		p.Rates = append(p.Rates, o.Rates...)
		p.Bots = append(p.Bots, o.Bots...)
		p.Schemas = append(p.Schemas, o.Schemas...)
		p.Keys = append(p.Keys, o.Keys...)
		p.Guides = append(p.Guides, o.Guides...)
	}
	return p
}

// Module describes a module or an adapter. Option wires it.
type Module struct {
	Name    string
	OldName string // the name in earlier versions, which configurations may still use; "" if unchanged
	// keys of the module that belonged to other modules in earlier versions, by their former paths, as accounts.jwt_key
	OldKeys  map[string]string
	Doc      string
	Slot     string         // the configuration key under adapters; "" for a module
	Defaults any            // the Config with default values
	Needs    []reflect.Type // the ports that wire requires: fields of its fx.In struct
	Uses     []reflect.Type // the ports that wire uses if they are provided: its optional fields
	Provides []reflect.Type // the ports that wire provides
	Queries  []QueryInfo    // the Query fields of wire's fx.In struct
	Former   string         // the module that contained it in earlier versions; see SplitFrom
	OptIn    bool           // see Optional
	Option   func(cfg any) fx.Option
	// Named is like Option for a second adapter of a slot: it provides the port under a name. nil for a module.
	Named func(cfg any, name string) fx.Option

	identity *identity
}

// identity identifies a call of Define, Provide or Adapter by its address. It is not empty because pointers to distinct
// zero-size variables may be equal.
type identity struct{ _ byte }

// Same reports whether the same call of Define, Provide or Adapter returned both modules.
func (m Module) Same(other Module) bool { return m.identity != nil && m.identity == other.identity }

// Optional lets the module run only in configurations that list it. Others also run if the configuration lists no
// modules.
func (m Module) Optional() Module { m.OptIn = true; return m }

// SplitFrom records that the module was part of other in earlier versions. It is enabled whenever other is, so that
// configurations written before the split keep working.
func (m Module) SplitFrom(other string) Module {
	m.Former = other
	return m
}

// Formerly sets the module's name in earlier versions. Configurations may still use that name, and migrations recorded
// under it are attributed to the module.
func (m Module) Formerly(name string) Module {
	m.OldName = name
	return m
}

// TakesKeys names keys of the module that belonged to other modules in earlier versions, by their former paths, such as
// accounts.jwt_key. Configurations may still use these; they then contain the module.
func (m Module) TakesKeys(former map[string]string) Module {
	m.OldKeys = former
	return m
}

// Contribution is a module's Parts with its name. The server collects them once all modules are wired.
type Contribution struct {
	Module  string
	Doc     string
	Parts   Parts
	Queries []QueryInfo
}

// group is the fx value group of contributions.
const group = `group:"stoa.contributions"`

// Contributions receives all contributions from fx.
type Contributions struct {
	fx.In
	All []Contribution `group:"stoa.contributions"`
}

// Define returns a module that provides no ports. C is its configuration, which may have a method Validate() error;
// each line of the error must begin with a key. In is an fx.In struct.
func Define[C, In any](name, doc string, defaults C, wire func(C, In) (Parts, error)) Module {
	queries := queries[In]()
	return Module{
		Name: name, Doc: doc, Defaults: defaults, identity: new(identity),
		Needs: fields[In](false), Uses: fields[In](true), Queries: infosOf(queries),
		Option: func(cfg any) fx.Option {
			return fx.Module(name, optionsOf(queries), fx.Provide(fx.Annotate(func(in In) (Contribution, error) {
				parts, err := wire(cfg.(C), in)
				return Contribution{name, doc, parts, infosOf(queries)}, err
			}, fx.ResultTags(group))))
		},
	}
}

// Provide is like Define, for modules that provide ports. Out is an interface, or an fx.Out struct with several
// interfaces.
func Provide[C, In, Out any](name, doc string, defaults C, wire func(C, In) (Parts, Out, error)) Module {
	type contributed struct {
		fx.Out
		C Contribution `group:"stoa.contributions"`
	}
	queries := queries[In]()
	return Module{
		Name: name, Doc: doc, Defaults: defaults, identity: new(identity),
		Needs: fields[In](false), Uses: fields[In](true), Provides: provided[Out](),
		Queries: infosOf(queries),
		Option: func(cfg any) fx.Option {
			return fx.Module(name, optionsOf(queries), fx.Provide(func(in In) (contributed, Out, error) {
				parts, out, err := wire(cfg.(C), in)
				return contributed{C: Contribution{name, doc, parts, infosOf(queries)}}, out, err
			}))
		},
	}
}

// Adapter returns one of several implementations of a port. The configuration selects it with
//
//	adapters: {slot: {use: name}}
//
// If the implementation has a method Health or Check, func(context.Context) error, it is a health check with the name
// adapters.slot. Its error says what fails, and what the operator does about it.
func Adapter[C, In, Port any](slot, name, doc string, defaults C, open func(C, In) (Port, error)) Module {
	return Module{
		Name: name, Slot: slot, Doc: doc, Defaults: defaults, identity: new(identity),
		Needs: fields[In](false), Uses: fields[In](true),
		Provides: provided[Port](),
		Option: func(cfg any) fx.Option {
			return fx.Module(slot+"/"+name, fx.Provide(func(in In) (Port, adapterOut, error) {
				port, err := open(cfg.(C), in)
				if err != nil {
					return port, adapterOut{}, err
				}
				r, err := reloads[C](slot, port)
				return port, adapterOut{Reloads: r, Checks: checks(slot, port)}, err
			}))
		},
		Named: func(cfg any, as string) fx.Option {
			return fx.Module(slot+"/"+as, fx.Provide(fx.Annotate(func(in In) (Port, []Check, error) {
				port, err := open(cfg.(C), in)
				return port, checks(slot+"."+as, port), err
			}, fx.ResultTags(`name:"`+as+`"`, checkGroup))))
		},
	}
}

var (
	inType  = reflect.TypeFor[fx.In]()
	outType = reflect.TypeFor[fx.Out]()
)

// fields returns the types of the ports among the fields of In: those tagged optional:"true", or the others. It skips
// queries.
func fields[In any](optional bool) []reflect.Type {
	t := reflect.TypeFor[In]()
	if t.Kind() != reflect.Struct || !embeds(t, inType) {
		panic(fmt.Sprintf("kit: %v must be a struct that embeds fx.In", t)) // a programming error in a module
	}
	var out []reflect.Type
	for f := range t.Fields() {
		if f.Type != inType && (f.Tag.Get("optional") == "true") == optional && !f.Type.Implements(queryFieldType) {
			out = append(out, f.Type)
		}
	}
	return out
}

func provided[Out any]() []reflect.Type {
	t := reflect.TypeFor[Out]()
	if t.Kind() == reflect.Struct && embeds(t, outType) {
		return exported(t, outType)
	}
	return []reflect.Type{t}
}

func embeds(t, marker reflect.Type) bool {
	for f := range t.Fields() {
		if f.Anonymous && f.Type == marker {
			return true
		}
	}
	return false
}

func exported(t, marker reflect.Type) []reflect.Type {
	var out []reflect.Type
	for f := range t.Fields() {
		if f.Type != marker {
			out = append(out, f.Type)
		}
	}
	return out
}
