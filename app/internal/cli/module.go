package cli

import (
	"fmt"
	"strings"

	"github.com/stoachat/stoa/app/internal/scaffold"
	"github.com/stoachat/stoa/app/internal/server"
)

type newModule struct {
	Name string `arg:"" help:"Name of the module, its package and its folder, such as recipes."`
}

// Help returns the long text of --help.
func (newModule) Help() string {
	return `The command writes modules/NAME in the checkout that contains the current
directory. The new module works and passes its tests: it has a configuration
key, three routes, a table, two events, a section of /register and a hook.
Replace what it does, and keep its form; modules/README.md explains each part.`
}

// Run writes the module and prints what remains to do.
func (n newModule) Run(e *env) error {
	root, err := scaffold.Root(".")
	if err != nil {
		return err
	}
	if err := e.checkUnused(n.Name); err != nil {
		return err
	}
	if err := scaffold.Write(root, n.Name); err != nil {
		return err
	}
	e.printf("%s\n", strings.ReplaceAll(`modules/NAME is a module that works. Run its tests with

  go test ./modules/NAME

To include it in the server, add it to three places:

  modules/standard/standard.go   the list of modules
  configs/*.yaml                 the configurations that enable it
  app/proof/access               rows that state who may call its routes

Then run make generate, and see "Adding it to a server" in modules/README.md.`, "NAME", n.Name))
	return nil
}

// checkUnused returns an error if a module of this program already uses the name for itself or, as a new module would,
// for a route, an event or a section of /register.
func (e *env) checkUnused(name string) error {
	for _, m := range e.Modules {
		if m.Slot == "" && (m.Name == name || m.OldName == name) {
			return fmt.Errorf("there is already a module %s: choose another name", name)
		}
	}
	s, err := server.Inspect(e.ctx, e.sources(), e.Modules...)
	if err != nil {
		return err
	}
	defer e.end(s)
	for _, c := range s.Modules().Modules {
		used := ""
		for _, p := range c.Parts.Endpoints {
			if p.Path == "/"+name || strings.HasPrefix(p.Path, "/"+name+"/") {
				used = "the route " + p.Path
			}
		}
		for _, r := range c.Parts.Register {
			if r.Name == name {
				used = "the section " + name + " of /register"
			}
		}
		for _, v := range c.Parts.Events {
			if v.Type == name {
				used = "the event " + name
			}
		}
		if used != "" {
			return fmt.Errorf("the module %s already has %s: choose another name", c.Module, used)
		}
	}
	return nil
}
