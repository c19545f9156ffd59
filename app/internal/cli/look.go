package cli

import (
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

type modules struct{}

// Run lists the program's modules, the configured ones in order of assembly.
func (modules) Run(e *env) error {
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

type routes struct{}

// Run lists the routes, sorted by path.
func (routes) Run(e *env) error {
	s, err := server.Inspect(e.ctx, e.sources(), e.Modules...)
	if err != nil {
		return err
	}
	defer e.end(s)
	type row struct{ method, path, who, module, doc string }
	var rows []row
	for _, c := range s.Modules().Modules {
		for _, p := range c.Parts.Endpoints {
			r := row{p.Method, "/api/v1" + p.Path, p.Access.Name(), c.Module, p.Doc}
			if p.Handler != nil {
				r.method, r.path = "*", p.Path
			}
			rows = append(rows, r)
		}
	}
	slices.SortFunc(rows, func(a, b row) int {
		return strings.Compare(a.path+" "+a.method, b.path+" "+b.method)
	})
	w := tabwriter.NewWriter(e.Out, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(w, "METHOD\tPATH\tWHO\tMODULE\tWHAT") // Flush returns the error
	for _, r := range rows {
		_, _ = fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", r.method, r.path, r.who, r.module, r.doc)
	}
	return w.Flush()
}

type conf struct {
	Check confCheck `cmd:"" help:"Report all problems of the configuration, each with a remedy."`
	Print confPrint `cmd:"" help:"Print the configuration in use: every key, with secrets masked."`
}

type confCheck struct{}

// Run checks the configuration and the modules' contributions without accessing the database.
func (confCheck) Run(e *env) error {
	s, err := server.Inspect(e.ctx, e.sources(), e.Modules...)
	if err != nil {
		return err
	}
	defer e.end(s)
	for _, text := range s.Config.Warnings {
		e.printError(text)
	}
	e.printf("ok: %d modules, %d routes\n", len(s.Config.Plan), len(s.Modules().Endpoints))
	return nil
}

type confPrint struct{}

// Run prints the configuration.
func (confPrint) Run(e *env) error {
	cfg, err := server.Read(e.sources(), e.Modules)
	if err != nil {
		return err
	}
	text, err := cfg.Print()
	if err != nil {
		return err
	}
	e.printf("%s", text)
	return nil
}
