package registry

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/stoachat/stoa/app/internal/config"
	"github.com/stoachat/stoa/modules/kit"
)

// graph orders modules by the ports that they need and provide.
type graph struct {
	catalog   []kit.Module
	chosen    Plan
	builtin   []reflect.Type
	providers map[reflect.Type]int
	problems  config.Problems
}

// order returns the modules whose needs are met: providers before users, otherwise sorted by path.
func (g *graph) order(all Plan) Plan {
	g.chosen = all
	for i, m := range all {
		for _, t := range m.Provides {
			if j, twice := g.providers[t]; twice {
				g.problems.Add(m.Path, fmt.Sprintf("provides the same port as %s; remove one of them", all[j].Path))
				continue
			}
			if slices.Contains(g.builtin, t) {
				g.problems.Add(m.Path, fmt.Sprintf("provides %v, which the server itself provides and modules cannot replace", t))
			}
			g.providers[t] = i
		}
	}
	for _, m := range all {
		g.reportUnmet(m.Path, m.Needs)
	}
	var plan Plan
	placed := make([]bool, len(all))
	for range all {
		for i, c := range all { // the first by path that can be placed, for a deterministic order
			if !placed[i] && g.ready(c, placed) {
				placed[i] = true
				plan = append(plan, c)
				break
			}
		}
	}
	g.cycle(all, placed)
	return plan
}

func (g *graph) ready(c Chosen, placed []bool) bool {
	for _, t := range c.Needs {
		if slices.Contains(g.builtin, t) {
			continue
		}
		if i, ok := g.providers[t]; !ok || !placed[i] {
			return false
		}
	}
	return true
}

// reportUnmet reports unmet needs, with the modules or adapters that would meet them.
func (g *graph) reportUnmet(needer string, needs []reflect.Type) {
	for _, t := range needs {
		if _, ok := g.providers[t]; ok || slices.Contains(g.builtin, t) {
			continue
		}
		text := g.remedy(t)
		if way := g.without(needer); way != "" {
			text += ", or " + way
		}
		g.problems.Add(needer, text)
	}
}

// without says how to do without a module, which takes along those that need it. It is empty for adapters.
func (g *graph) without(path string) string {
	if !strings.HasPrefix(path, "modules.") {
		return ""
	}
	names := []string{}
	for _, c := range g.chosen {
		if c.Path == path || slices.Contains(g.chosen.Dependants(path), c.Path) {
			names = append(names, strings.TrimPrefix(c.Path, "modules."))
		}
	}
	if len(names) == 1 {
		return "remove it"
	}
	return "remove " + strings.Join(names, ", ")
}

// Dependants returns the paths of the modules and adapters that need what the one at a path provides, or need one that
// does, and so on.
func (p Plan) Dependants(path string) []string {
	gone := []string{path}
	for i := 0; i < len(gone); i++ {
		at := slices.IndexFunc(p, func(c Chosen) bool { return c.Path == gone[i] })
		if at < 0 {
			continue
		}
		for _, c := range p {
			needs := func(t reflect.Type) bool { return slices.Contains(p[at].Provides, t) }
			if slices.ContainsFunc(c.Needs, needs) && !slices.Contains(gone, c.Path) {
				gone = append(gone, c.Path)
			}
		}
	}
	return gone[1:]
}

func (g *graph) missing(needs []Need) {
	for _, n := range needs {
		g.reportUnmet(n.Module, []reflect.Type{n.Port})
	}
}

// remedy names the modules and adapters that provide a port. If there are none, only the author of the module can help.
func (g *graph) remedy(t reflect.Type) string {
	var modules, slots, ways []string
	for _, m := range g.catalog {
		switch {
		case !slices.Contains(m.Provides, t):
		case m.Slot == "":
			modules = append(modules, m.Name)
			ways = append(ways, fmt.Sprintf("modules: {%s: {}}", m.Name))
		default:
			if !slices.Contains(slots, m.Slot) {
				slots = append(slots, m.Slot)
			}
			ways = append(ways, fmt.Sprintf("adapters: {%s: {use: %s}}", m.Slot, m.Name))
		}
	}
	var names []string
	if len(modules) > 0 {
		names = append(names, "the module "+strings.Join(modules, " or "))
	}
	if len(slots) > 0 {
		names = append(names, "an adapter for "+strings.Join(slots, " or "))
	}
	if len(names) == 0 {
		return fmt.Sprintf("needs %v, which no module in this program provides", t)
	}
	return "needs " + strings.Join(names, " or ") + "; add " + strings.Join(ways, " or ")
}

// Providers returns the names of the modules, and the slots of the adapters, that provide a port.
func Providers(catalog []kit.Module, t reflect.Type) []string {
	var out []string
	for _, m := range catalog {
		name := m.Name
		if m.Slot != "" {
			name = config.Join("adapters", m.Slot)
		}
		if slices.Contains(m.Provides, t) && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// reportCycle reports modules that need each other.
func (g *graph) cycle(all Plan, placed []bool) {
	var stuck []string
	at := slices.Index(placed, false)
	for at >= 0 && !slices.Contains(stuck, all[at].Path) {
		stuck = append(stuck, all[at].Path)
		next := -1
		for _, t := range all[at].Needs {
			if i, ok := g.providers[t]; ok && !placed[i] {
				next = i
				break
			}
		}
		if next < 0 {
			return // waits for a missing port, which has been reported
		}
		at = next
	}
	if at >= 0 {
		first := slices.Index(stuck, all[at].Path)
		cycle := slices.Concat(stuck[first:], []string{all[at].Path})
		g.problems.Add(
			all[at].Path,
			"depends on itself: "+strings.Join(cycle, " needs ")+"; turn one of these needs into a hook",
		)
	}
}
