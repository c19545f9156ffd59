package cli

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/stoachat/stoa/app/internal/config"
	"github.com/stoachat/stoa/app/internal/registry"
	"github.com/stoachat/stoa/app/internal/server"
	"github.com/stoachat/stoa/modules/kit"
)

type modules struct {
	Map  bool `xor:"as" help:"Show how the enabled modules are connected: the handlers of each hook event, who answers each query, who provides and uses each port, and which module logs each event."`
	Cost bool `xor:"as" help:"Show what each module contributes, and the memory that its parts need before anybody uses them."`
}

// Help returns the long text of --help.
func (modules) Help() string {
	return `Lists the modules that run and those that do not, with what each needs and what must leave with it.

To leave out a module in a configuration file:
  modules: {standard: {without: [drafts, calls]}}
To run only some: modules: {realm: {}, accounts: {}, messages: {}}`
}

// Run lists the program's modules, what they cost, or how they are connected.
func (m modules) Run(e *env) error {
	if m.Map {
		return printMap(e)
	}
	cfg, err := server.Read(e.sources(), e.Modules)
	if err != nil {
		return err
	}
	if m.Cost {
		return printCost(e, cfg)
	}
	l := listing{env: e, plan: cfg.Plan}
	l.group("Modules that the server needs", func(c kit.Module) bool { return c.Slot == "" && l.on(c) && l.needed(c) })
	l.group("Modules that can be left out", func(c kit.Module) bool { return c.Slot == "" && l.on(c) && !l.needed(c) })
	l.group("Modules that do not run", func(c kit.Module) bool { return c.Slot == "" && !l.on(c) })
	l.group("Adapters, by slot", func(c kit.Module) bool { return c.Slot != "" })
	return nil
}

// listing prints the program's modules in groups.
type listing struct {
	*env
	plan  registry.Plan
	later bool // a group has been printed
}

// path returns the section of a module or adapter in the configuration.
func path(m kit.Module) string {
	if m.Slot != "" {
		return config.Join("adapters", m.Slot)
	}
	return config.Join("modules", m.Name)
}

func (l *listing) on(m kit.Module) bool {
	return slices.ContainsFunc(l.plan, func(c registry.Chosen) bool { return c.Slot == m.Slot && c.Name == m.Name })
}

// needed reports whether the server does not run without the module.
func (l *listing) needed(m kit.Module) bool {
	gone := append(l.plan.Dependants(path(m)), path(m))
	return slices.ContainsFunc(l.plan, func(c registry.Chosen) bool {
		return server.Needs(c.Module) && slices.Contains(gone, c.Path)
	})
}

func (l *listing) group(title string, in func(kit.Module) bool) {
	all := slices.DeleteFunc(slices.Clone(l.Modules), func(m kit.Module) bool { return !in(m) })
	if len(all) == 0 {
		return
	}
	slices.SortFunc(all, func(a, b kit.Module) int {
		return cmp.Or(strings.Compare(a.Slot, b.Slot), strings.Compare(a.Name, b.Name))
	})
	if l.later {
		l.printf("\n")
	}
	l.later = true
	l.printf("%s\n", title)
	for _, m := range all {
		l.module(m)
	}
}

func (l *listing) module(m kit.Module) {
	state := "off"
	if l.on(m) {
		state = "on "
	}
	l.printf("  %s %s: %s\n", state, config.Join(m.Slot, m.Name), m.Doc)
	if names := neededBy(l.Modules, m); len(names) > 0 {
		l.printf("        needs   %s\n", listOf(names))
	}
	if names := usersOf(l.Modules, m); len(names) > 0 {
		l.printf("        used by %s\n", listOf(names))
	}
	if gone := l.plan.Dependants(path(m)); l.on(m) && len(gone) > 0 && m.Slot == "" && !l.needed(m) {
		l.printf("        leaves with %s\n", listOf(modulesOf(gone)))
	}
}

// modulesOf returns the names of the modules among the given sections.
func modulesOf(paths []string) []string {
	var out []string
	for _, p := range paths {
		if name, ok := strings.CutPrefix(p, "modules."); ok {
			out = append(out, name)
		}
	}
	return out
}

// neededBy returns the names of the modules that m needs. Alternatives are joined by "or".
func neededBy(all []kit.Module, m kit.Module) []string {
	var out []string
	for _, t := range m.Needs {
		if names := registry.Providers(all, t); len(names) > 0 {
			out = append(out, strings.Join(names, " or "))
		}
	}
	return out
}

// usersOf returns the names of the modules and adapters that need a port provided by m.
func usersOf(all []kit.Module, m kit.Module) []string {
	var out []string
	for _, other := range all {
		if slices.ContainsFunc(other.Needs, func(t reflect.Type) bool { return slices.Contains(m.Provides, t) }) {
			out = append(out, config.Join(other.Slot, other.Name))
		}
	}
	return out
}

func listOf(names []string) string {
	if len(names) == 0 {
		return "nothing"
	}
	slices.Sort(names)
	return strings.Join(slices.Compact(names), ", ")
}

// printCost prints what each module contributes. The memory of a module is what a server with the configured modules
// allocates beyond one without it and those that need it.
func printCost(e *env, cfg server.Config) error {
	s, err := server.Inspect(e.ctx, e.sources(), e.Modules...)
	if err != nil {
		return err
	}
	defer e.end(s)
	l := listing{env: e, plan: cfg.Plan}
	whole, err := cfg.Footprint(e.ctx)
	if err != nil {
		return err
	}
	t := tabwriter.NewWriter(e.Out, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(t, "MODULE\tROUTES\tTABLES\tEVENTS\tJOBS\tKIB\tLEAVES WITH")
	all := slices.SortedFunc(slices.Values(s.Modules().Modules), func(a, b kit.Contribution) int {
		return strings.Compare(a.Module, b.Module)
	})
	for _, c := range all {
		m := slices.IndexFunc(cfg.Plan, func(p registry.Chosen) bool { return p.Path == config.Join("modules", c.Module) })
		if m < 0 {
			continue
		}
		p, memory, with := c.Parts, "-", "needed"
		if chosen := cfg.Plan[m]; !l.needed(chosen.Module) {
			gone := cfg.Plan.Dependants(chosen.Path)
			rest, err := cfg.Footprint(e.ctx, append(gone, chosen.Path)...)
			if err != nil {
				return err
			}
			memory, with = fmt.Sprint(max(0, whole-rest)>>10), strings.Join(modulesOf(gone), ", ")
		}
		_, _ = fmt.Fprintf(t, "%s\t%d\t%d\t%d\t%d\t%s\t%s\n", c.Module, len(p.Endpoints), len(p.Tables), len(p.Events),
			len(p.Jobs), memory, with)
	}
	return t.Flush()
}
