package web

import (
	"embed"
	"fmt"
	"io/fs"
	"net/http"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

//go:embed all:dist
var dist embed.FS

// Module serves the web client.
var Module = module(dist)

// Config has no settings.
type Config struct{}

type needs struct {
	fx.In
	Sessions ports.Sessions // the client is useless without sessions
}

func module(built fs.FS) kit.Module {
	return kit.Provide("web", "The client for browsers, if it was built.", Config{},
		func(_ Config, _ needs) (kit.Parts, ports.WebClient, error) {
			c, err := newClient(built)
			if err != nil {
				return kit.Parts{}, nil, fmt.Errorf("the web client: %w; build it again with make web", err)
			}
			return kit.Parts{Endpoints: []kit.Endpoint{
				kit.Mount(prefix, kit.Anyone, http.HandlerFunc(c.file), "Files of the client for browsers.").Rate(kit.RateFiles),
			}}, c, nil
		})
}
