package cli

import (
	"context"

	"github.com/alecthomas/kong"

	"github.com/stoachat/stoa/modules/kit"
)

// Commands returns all commands that can be run with the given modules and a configuration file, of which "" is the
// default one, and those of the modules.
func Commands(modules []kit.Module, file string) ([]*kong.Node, []kit.Command, error) {
	e := &env{Call: Call{Modules: modules}, ctx: context.Background(), flags: &commands{File: file}}
	rows, err := e.moduleCommands()
	if err != nil {
		return nil, nil, err
	}
	e.flags.add(rows)
	parser, err := kong.New(e.flags, kong.Name("stoa"), kong.Vars{"version": ""})
	if err != nil {
		return nil, nil, err
	}
	return parser.Model.Leaves(false), rows, nil
}
