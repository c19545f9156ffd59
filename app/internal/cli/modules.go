package cli

import (
	"reflect"
	"slices"
	"strings"

	"github.com/stoachat/stoa/app/internal/config"
	"github.com/stoachat/stoa/app/internal/registry"
	"github.com/stoachat/stoa/app/internal/server"
	"github.com/stoachat/stoa/modules/kit"
)

type modules struct {
	Map bool `help:"Show how the enabled modules are connected: the handlers of each hook event, who answers each query, who provides and uses each port, and which module logs each event."`
}

// Run lists the program's modules, the configured ones in order of assembly, or the map.
func (m modules) Run(e *env) error {
	if m.Map {
		return printMap(e)
	}
	cfg, err := server.Read(e.sources(), e.Modules)
	if err != nil {
		return err
	}
	position := func(m kit.Module) int {
		for i, c := range cfg.Plan {
			if c.Name == m.Name && c.Slot == m.Slot {
				return i
			}
		}
		return len(cfg.Plan)
	}
	all := slices.Clone(e.Modules)
	slices.SortStableFunc(all, func(a, b kit.Module) int {
		if d := position(a) - position(b); d != 0 {
			return d
		}
		return strings.Compare(a.Name, b.Name)
	})
	for _, m := range all {
		state := "on "
		if position(m) == len(cfg.Plan) {
			state = "off"
		}
		e.printf("%s  %s: %s\n", state, config.Join(m.Slot, m.Name), m.Doc)
		e.printf("     needs   %s\n", listOf(neededBy(e.Modules, m)))
		e.printf("     used by %s\n", listOf(usersOf(e.Modules, m)))
	}
	return nil
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
