package cli

import (
	"github.com/stoachat/stoa/app/internal/server"
	"github.com/stoachat/stoa/modules/kit/openapi"
)

type document struct {
	Profile string `enum:",strings" default:"" help:"strings: for tools that cannot encode JSON in forms and queries."`
	YAML    bool   `name:"yaml" help:"Print YAML instead of JSON."`
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
	text, err := render()
	if err != nil {
		return err
	}
	_, err = e.Out.Write(append(text, '\n'))
	return err
}
