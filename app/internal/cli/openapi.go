package cli

import (
	"fmt"
	"os"

	"github.com/stoachat/stoa/app/internal/server"
	"github.com/stoachat/stoa/modules/kit/openapi"
)

type document struct {
	Profile string `enum:",strings" default:"" help:"strings: for tools that cannot encode JSON in forms and queries."`
	YAML    bool   `name:"yaml" help:"Print YAML instead of JSON."`
	Changes string `placeholder:"FILE" help:"Print the changes since the JSON in a file; ! marks what may break clients."`
}

// Run prints the description of the API, which GET /api/v1/openapi.json returns if the module apidocs is enabled.
func (c document) Run(e *env) error {
	s, err := server.Inspect(e.ctx, e.sources(), e.Modules...)
	if err != nil {
		return err
	}
	defer e.end(s)
	d := openapi.New(openapi.Source{
		Modules: s.Modules(), Version: e.version(), URL: s.Config.Settings.HTTP.URL, Strings: c.Profile == "strings",
	})
	render := d.JSON
	if c.YAML {
		render = d.YAML
	}
	if c.Changes != "" {
		return printChanges(e, c.Changes, d)
	}
	text, err := render()
	if err != nil {
		return err
	}
	_, err = e.Out.Write(append(text, '\n'))
	return err
}

// printChanges prints how a document differs from that in a file.
func printChanges(e *env, file string, d *openapi.Document) error {
	older, err := os.ReadFile(file) //nolint:gosec // chosen by the operator
	if err != nil {
		return err
	}
	newer, err := d.JSON()
	if err != nil {
		return err
	}
	all, err := openapi.Differences(older, newer)
	if err != nil {
		return err
	}
	for _, x := range all {
		mark := " "
		if x.Breaking {
			mark = "!"
		}
		if _, err := fmt.Fprintln(e.Out, mark, x.Text); err != nil {
			return err
		}
	}
	return nil
}
