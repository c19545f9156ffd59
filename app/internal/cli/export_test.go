package cli

import "github.com/alecthomas/kong"

// Commands returns all commands that can be run.
func Commands() ([]*kong.Node, error) {
	parser, err := kong.New(&commands{}, kong.Name("stoa"), kong.Vars{"version": ""})
	if err != nil {
		return nil, err
	}
	return parser.Model.Leaves(false), nil
}
