package cli

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/stoachat/stoa/app/internal/config"
	"github.com/stoachat/stoa/app/internal/registry"
	"github.com/stoachat/stoa/app/internal/server"
	"github.com/stoachat/stoa/modules/kit"
)

// printMap prints how the enabled modules are connected.
func printMap(e *env) error {
	s, err := server.Inspect(e.ctx, e.sources(), e.Modules...)
	if err != nil {
		return err
	}
	defer e.end(s)
	enabled := slices.DeleteFunc(slices.Clone(e.Modules), func(m kit.Module) bool {
		return !slices.ContainsFunc(s.Config.Plan, func(p registry.Chosen) bool {
			return p.Name == m.Name && p.Slot == m.Slot
		})
	})
	e.printf("%s", mapOf(enabled, s.Modules().Modules))
	return nil
}

// connections lists, for each thing by which modules are connected, the lines that tell who has which part in it.
type connections map[string][]string

func (c connections) add(name, line string) {
	if !slices.Contains(c[name], line) {
		c[name] = append(c[name], line)
	}
}

func (c connections) write(b *strings.Builder, title string) {
	fmt.Fprintf(b, "%s\n", title)
	names := make([]string, 0, len(c))
	for name := range c {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		fmt.Fprintf(b, "\n%s\n", name)
		for _, line := range c[name] {
			fmt.Fprintf(b, "    %s\n", line)
		}
	}
}

// mapOf returns the map of the given modules and what they contribute.
func mapOf(all []kit.Module, parts []kit.Contribution) string {
	var b strings.Builder
	hooks(parts).write(&b, "Hook events and their handlers, in the order in which they run")
	queries(parts).write(&b, "\n\nQueries, who answers them, and who asks")
	portsOf(all).write(&b, "\n\nPorts, who provides them, and who uses them")
	events(parts).write(&b, "\n\nEvents in the log, and the module that declares them")
	tables(parts).write(&b, "\n\nTables, and the module that owns them")
	if others := names(parts); len(others) > 0 {
		others.write(&b, "\n\nOther names that no two modules can declare, and the module that declares them")
	}
	return b.String()
}

func hooks(parts []kit.Contribution) connections {
	type handler struct {
		module string
		kit.Hook
	}
	var all []handler
	for _, p := range parts {
		for _, h := range p.Parts.Hooks {
			all = append(all, handler{p.Module, h})
		}
	}
	slices.SortStableFunc(all, func(a, b handler) int {
		return cmp.Or(a.Rank-b.Rank, strings.Compare(a.module, b.module))
	})
	out := connections{}
	for _, h := range all {
		out.add(h.Event.String(), h.module+": "+h.Handler)
	}
	return out
}

func queries(parts []kit.Contribution) connections {
	out := connections{}
	for _, p := range parts {
		for _, a := range p.Parts.Answers {
			out.add(a.Question.String(), "answered by "+p.Module+": "+a.Handler)
		}
	}
	for _, p := range parts {
		for _, q := range p.Queries {
			out.add(q.Question.String(), "asked by "+p.Module)
		}
	}
	return out
}

func portsOf(all []kit.Module) connections {
	out := connections{}
	for _, m := range all {
		for _, port := range m.Provides {
			out.add(port.String(), "provided by "+config.Join(m.Slot, m.Name))
		}
	}
	for _, m := range all {
		for _, port := range m.Needs {
			out.add(port.String(), "used by "+config.Join(m.Slot, m.Name))
		}
		for _, port := range m.Uses {
			out.add(port.String(), "used by "+config.Join(m.Slot, m.Name)+", if provided")
		}
	}
	return out
}

func events(parts []kit.Contribution) connections {
	out := connections{}
	for _, p := range parts {
		for _, e := range p.Parts.Events {
			out.add(strings.TrimSuffix(e.Type+"/"+e.Op, "/"), p.Module)
		}
	}
	return out
}

func tables(parts []kit.Contribution) connections {
	out := connections{}
	for _, p := range parts {
		for _, t := range p.Parts.Tables {
			out.add(t.Name, p.Module)
		}
	}
	return out
}

// names returns what else has a name of its own on the server.
func names(parts []kit.Contribution) connections {
	out := connections{}
	for _, p := range parts {
		for _, name := range p.Parts.Bots {
			out.add("bot "+name, p.Module)
		}
		for _, c := range p.Parts.Markdown {
			out.add("Markdown "+c.Name(), p.Module)
		}
		for _, o := range p.Parts.Operators {
			out.add("operator "+o.Name, p.Module)
		}
		for _, r := range p.Parts.Rates {
			out.add("rate class "+p.Module+"."+r.Name, p.Module)
		}
		for _, s := range p.Parts.Settings {
			out.add("setting "+s.Declaration().Key, p.Module)
		}
		for _, s := range p.Parts.Slash {
			out.add("slash command /"+s.Name, p.Module)
		}
	}
	return out
}
