package kit

import (
	"fmt"
	"io/fs"
	"reflect"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/domain/directory"
)

// Parts is everything that a module adds. Leave out what it has not.
type Parts struct {
	Endpoints  []Endpoint
	Migrations fs.FS // migrations/{sqlite,postgres}/NNN_name.sql
	Register   []Section
	Events     []AnyEvent
	Hooks      []Hook
	Answers    []Answer // to questions of other modules
	Directory  []directory.Part
	Jobs       []Job
	Rows       []Rows // which rows of its tables are a realm's
	Health     []Check
	Blobs      []BlobKeys // the keys of blobs that its rows name
	Exports    []Export   // what of its tables is exported
	Web        WebPart    // what it adds to the web client
}

// With returns p and the parts of a module's internal packages as one. Migrations are p's.
func (p Parts) With(others ...Parts) Parts {
	for _, o := range others {
		p.Endpoints = append(p.Endpoints, o.Endpoints...)
		p.Register = append(p.Register, o.Register...)
		p.Events = append(p.Events, o.Events...)
		p.Hooks = append(p.Hooks, o.Hooks...)
		p.Answers = append(p.Answers, o.Answers...)
		p.Directory = append(p.Directory, o.Directory...)
		p.Jobs = append(p.Jobs, o.Jobs...)
		p.Rows = append(p.Rows, o.Rows...)
		p.Health = append(p.Health, o.Health...)
		p.Blobs = append(p.Blobs, o.Blobs...)
		p.Exports = append(p.Exports, o.Exports...)
	}
	return p
}

// Module is a module or an adapter, before it is wired.
type Module struct {
	Name     string
	Doc      string
	Slot     string         // adapters: the slot of the config that they fill; modules: ""
	Defaults any            // the Config with its defaults
	Needs    []reflect.Type // what wire asks for: the fields of its fx.In struct, sorted by name
	Gives    []reflect.Type // what wire provides beside Parts
	Asks     []Asked        // the Query fields of wire's fx.In struct
	Former   string         // the module that it was a part of once; see SplitFrom
	Option   func(cfg any) fx.Option

	made *made
}

// made is one call of Define, Provide or Adapter. It has a size, so that no two have the same address.
type made struct{ _ byte }

// Same tells whether both come from the same call of Define, Provide or Adapter: they do the same and know the same.
func (m Module) Same(other Module) bool { return m.made != nil && m.made == other.made }

// SplitFrom marks a module that was a part of another once. It runs wherever the other does, so that configurations
// that do not list it keep working.
func (m Module) SplitFrom(other string) Module {
	m.Former = other
	return m
}

// Contribution is a module's Parts under its name. The kernel collects them once all modules stand.
type Contribution struct {
	Module string
	Parts  Parts
	Asks   []Asked
}

// group is the only fx value group there is.
const group = `group:"stoa.contributions"`

// Contributions is how the kernel receives all of them.
type Contributions struct {
	fx.In
	All []Contribution `group:"stoa.contributions"`
}

// Define makes a module that gives no ports. In is an fx.In struct, Config its own settings; a Config may have
// Validate() error, whose text begins with the key.
func Define[C, In any](name, doc string, defaults C, wire func(C, In) (Parts, error)) Module {
	asks := queries[In]()
	return Module{
		Name: name, Doc: doc, Defaults: defaults, made: new(made), Needs: fields[In](), Asks: askedOf(asks),
		Option: func(cfg any) fx.Option {
			return fx.Module(name, optionsOf(asks), fx.Provide(fx.Annotate(func(in In) (Contribution, error) {
				parts, err := wire(cfg.(C), in)
				return Contribution{name, parts, askedOf(asks)}, err
			}, fx.ResultTags(group))))
		},
	}
}

// Provide makes a module that gives ports too: Out is one interface, or an fx.Out struct of several.
func Provide[C, In, Out any](name, doc string, defaults C, wire func(C, In) (Parts, Out, error)) Module {
	type contributed struct {
		fx.Out
		C Contribution `group:"stoa.contributions"`
	}
	asks := queries[In]()
	return Module{
		Name: name, Doc: doc, Defaults: defaults, made: new(made), Needs: fields[In](), Gives: gives[Out](),
		Asks: askedOf(asks),
		Option: func(cfg any) fx.Option {
			return fx.Module(name, optionsOf(asks), fx.Provide(func(in In) (contributed, Out, error) {
				parts, out, err := wire(cfg.(C), in)
				return contributed{C: Contribution{name, parts, askedOf(asks)}}, out, err
			}))
		},
	}
}

// Adapter makes a provider of one port, chosen in the config by its slot: adapters: {slot: {use: name}}.
func Adapter[C, In, Port any](slot, name, doc string, defaults C, open func(C, In) (Port, error)) Module {
	return Module{
		Name: name, Slot: slot, Doc: doc, Defaults: defaults, made: new(made), Needs: fields[In](), Gives: gives[Port](),
		Option: func(cfg any) fx.Option {
			return fx.Module(slot+"/"+name, fx.Provide(func(in In) (Port, error) { return open(cfg.(C), in) }))
		},
	}
}

var (
	inType  = reflect.TypeFor[fx.In]()
	outType = reflect.TypeFor[fx.Out]()
)

// fields gives what must be there. A field with the tag optional:"true" is nil where nothing provides it.
func fields[In any]() []reflect.Type {
	t := reflect.TypeFor[In]()
	if t.Kind() != reflect.Struct || !embeds(t, inType) {
		panic(fmt.Sprintf("kit: %v must be a struct that embeds fx.In", t)) // a mistake of the module's author, at start
	}
	var out []reflect.Type
	for f := range t.Fields() {
		if f.Type != inType && f.Tag.Get("optional") != "true" && !f.Type.Implements(askingType) {
			out = append(out, f.Type)
		}
	}
	return out
}

func gives[Out any]() []reflect.Type {
	t := reflect.TypeFor[Out]()
	if t.Kind() == reflect.Struct && embeds(t, outType) {
		return exported(t, outType)
	}
	return []reflect.Type{t}
}

func embeds(t, mark reflect.Type) bool {
	for f := range t.Fields() {
		if f.Anonymous && f.Type == mark {
			return true
		}
	}
	return false
}

func exported(t, mark reflect.Type) []reflect.Type {
	var out []reflect.Type
	for f := range t.Fields() {
		if f.Type != mark {
			out = append(out, f.Type)
		}
	}
	return out
}
