package registry

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/stoachat/stoa/app/internal/config"
	"github.com/stoachat/stoa/domain/spelling"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

// Chosen is a module that the configuration lists, and its config.
type Chosen struct {
	kit.Module
	Path   string // its section in the configuration
	Config any
	From   *Chosen // the store whose blobs move to this one; nil: none
}

// MovingFrom is the key of a store's section that contains the section of the store whose blobs move to it.
const MovingFrom = "moving_from"

// stores reports whether a module is a store of blobs.
func stores(m kit.Module) bool { return slices.Contains(m.Provides, reflect.TypeFor[ports.Blobs]()) }

// Plan lists the modules and adapters to assemble, providers before the modules that need them.
type Plan []Chosen

// Need is a port that the server itself needs.
type Need struct {
	Module string
	Port   reflect.Type
}

// Resolve reads the sections modules and adapters. builtin lists the ports that the kernel provides. If there are
// problems, the plan contains only modules that can be assembled.
func Resolve(catalog []kit.Module, raw *config.Raw, builtin []reflect.Type, needs []Need) (Plan, config.Problems) {
	ps := check(catalog)
	chosen, more := choose(catalog, raw)
	ps = append(ps, more...)
	adapters, more := slots(catalog, raw)
	ps = append(ps, more...)
	all := slices.Concat(adapters, chosen)
	slices.SortFunc(all, func(a, b Chosen) int { return strings.Compare(a.Path, b.Path) })
	g := graph{catalog: catalog, builtin: builtin, providers: map[reflect.Type]int{}}
	plan := g.order(all)
	g.missing(needs)
	return plan, append(ps, g.problems...)
}

// Renamed maps former sections of modules to their present ones.
func Renamed(catalog []kit.Module) map[string]string {
	out := map[string]string{}
	for _, m := range catalog {
		if m.OldName != "" && m.Slot == "" {
			out[config.Join("modules", m.OldName)] = config.Join("modules", m.Name)
		}
	}
	return out
}

// Moved maps former keys of modules to their present ones, which belong to other modules.
func Moved(catalog []kit.Module) map[string]string {
	out := map[string]string{}
	for _, m := range catalog {
		for former, key := range m.OldKeys {
			out[config.Join("modules", former)] = config.Join("modules", m.Name, key)
		}
	}
	return out
}

// Contents returns the modules that run if a configuration lists none, and a function that reports whether the program
// contains a module or the adapter SLOT.NAME.
func Contents(catalog []kit.Module) (own []string, has func(string) bool) {
	all := map[string]bool{}
	for _, m := range catalog {
		all[config.Join(m.Slot, m.Name)] = true
		if m.Slot == "" && !m.OptIn {
			own = append(own, m.Name)
		}
	}
	return own, func(part string) bool { return all[part] }
}

// Leaves returns all keys of modules and adapters that variables can set.
func Leaves(catalog []kit.Module) []config.Leaf {
	var out []config.Leaf
	for _, m := range catalog {
		path := config.Join("modules", m.Name)
		if m.Slot != "" {
			path = config.Join("adapters", m.Slot)
			out = append(out, adapterLeaves(path, m)...)
			if stores(m) {
				out = append(out, adapterLeaves(config.Join(path, MovingFrom), m)...)
			}
			continue
		}
		out = append(out, config.Leaves(path, reflect.TypeOf(m.Defaults))...)
	}
	return out
}

func adapterLeaves(path string, m kit.Module) []config.Leaf {
	use := config.Leaf{Path: config.Join(path, "use"), Type: reflect.TypeFor[string]()}
	return append(config.Leaves(path, reflect.TypeOf(m.Defaults)), use)
}

// reserved lists the names of the server's own contributors.
var reserved = []string{kit.ServerPart, "kernel", "jobs", "settings"}

func check(catalog []kit.Module) config.Problems {
	var ps config.Problems
	seen := map[string]bool{}
	for _, m := range catalog {
		id := config.Join(m.Slot, m.Name)
		switch {
		case m.Option == nil:
			ps.Add("module "+id, "is empty; create it with kit.Define, kit.Provide or kit.Adapter")
		case slices.Contains(reserved, id):
			ps.Add("module "+id, "has the name of a part of the server; choose another")
		case seen[id]:
			ps.Add("module "+id, "is in the list of modules twice; remove one")
		}
		seen[id] = true
	}
	return ps
}

func choose(catalog []kit.Module, raw *config.Raw) (Plan, config.Problems) {
	var plan Plan
	names, ps := raw.Names("modules")
	known := named(catalog, "")
	out := raw.LeftOut()
	for name, at := range out {
		if !slices.Contains(known, name) {
			ps.Add(at, "unknown module "+strconv.Quote(name)+spelling.Suggest(name, known))
		}
	}
	for _, name := range append(names, split(catalog, names, out)...) {
		path := config.Join("modules", name)
		m, ok := lookup(catalog, "", name)
		if !ok {
			ps.Add(path, "unknown module"+spelling.Suggest(name, known))
			continue
		}
		cfg, problems := decode(raw, m, path)
		ps = append(ps, problems...)
		plan = append(plan, Chosen{Module: m, Path: path, Config: cfg})
	}
	return plan, ps
}

// split returns the modules that are neither listed nor left out, but were formerly part of a listed module.
func split(catalog []kit.Module, listed []string, leftOut map[string]string) []string {
	var names []string
	for _, m := range catalog {
		if m.Slot == "" && m.Former != "" && slices.Contains(listed, m.Former) && !slices.Contains(listed, m.Name) &&
			leftOut[m.Name] == "" {
			names = append(names, m.Name)
		}
	}
	return names
}

func slots(catalog []kit.Module, raw *config.Raw) (Plan, config.Problems) {
	var plan Plan
	names, ps := raw.Names("adapters")
	var known []string
	for _, m := range catalog {
		if m.Slot != "" && !slices.Contains(known, m.Slot) {
			known = append(known, m.Slot)
		}
	}
	for _, slot := range names {
		path := config.Join("adapters", slot)
		if !slices.Contains(known, slot) {
			ps.Add(path, "unknown slot"+spelling.Suggest(slot, known))
			continue
		}
		c, problems := adapter(catalog, raw, slot, path)
		ps = append(ps, problems...)
		if c == nil {
			continue
		}
		if from := config.Join(path, MovingFrom); stores(c.Module) && raw.Has(from) {
			c.From, problems = adapter(catalog, raw, slot, from)
			ps = append(ps, problems...)
			if f := c.From; f != nil {
				c.Needs = slices.Concat(c.Needs, f.Needs)
				if f.Name == c.Name && reflect.DeepEqual(f.Config, c.Config) {
					ps.Add(from, "is the store to which the files move; name the one that has them now")
				}
			}
		}
		plan = append(plan, *c)
	}
	return plan, ps
}

// adapter returns the adapter of a slot that the section at a path describes, or nil.
func adapter(catalog []kit.Module, raw *config.Raw, slot, path string) (*Chosen, config.Problems) {
	use := raw.Text(config.Join(path, "use"))
	m, ok := lookup(catalog, slot, use)
	if !ok {
		have := named(catalog, slot)
		text := fmt.Sprintf("unknown adapter %q%s", use, spelling.Suggest(use, have))
		if use == "" {
			text = "is missing; name an adapter" + spelling.Suggest("", have)
		}
		return nil, config.Problems{{Path: config.Join(path, "use"), Text: text}}
	}
	ignore := []string{"use"}
	if stores(m) && !strings.HasSuffix(path, MovingFrom) {
		ignore = append(ignore, MovingFrom)
	}
	cfg, ps := decode(raw, m, path, ignore...)
	return &Chosen{Module: m, Path: path, Config: cfg}, ps
}

// decode returns a module's config: the values in the file over the module's defaults.
func decode(raw *config.Raw, m kit.Module, path string, ignore ...string) (any, config.Problems) {
	into := reflect.New(reflect.TypeOf(m.Defaults))
	into.Elem().Set(reflect.ValueOf(m.Defaults))
	ps := raw.Decode(path, into.Interface(), ignore...)
	return into.Elem().Interface(), ps
}

func lookup(catalog []kit.Module, slot, name string) (kit.Module, bool) {
	i := slices.IndexFunc(
		catalog,
		func(m kit.Module) bool { return m.Slot == slot && m.Name == name && m.Option != nil },
	)
	if i < 0 {
		return kit.Module{}, false
	}
	return catalog[i], true
}

func named(catalog []kit.Module, slot string) []string {
	var out []string
	for _, m := range catalog {
		if m.Slot == slot {
			out = append(out, m.Name)
		}
	}
	return out
}
