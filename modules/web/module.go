package web

import (
	"embed"
	"fmt"
	"io/fs"
	"log/slog"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/domain/webpart"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

//go:embed all:dist
var dist embed.FS

// icons holds the icons of the installed client in an organization without its own.
//
//go:embed icons
var icons embed.FS

// Module serves the web client.
var Module = module(dist)

// Config has no settings.
type Config struct{}

type needs struct {
	fx.In
	Sessions  ports.Sessions // the client is useless without sessions
	Home      ports.HomePage
	Directory ports.Directory
	Realms    ports.Realms
	Collected *kit.Collected
	Logger    *slog.Logger

	Installed kit.Query[webpart.Installed, []webpart.Part]
}

func module(built fs.FS) kit.Module {
	return kit.Define("web", "The web client, if it was built.", Config{},
		func(_ Config, n needs) (kit.Parts, error) {
			c, err := newClient(built)
			if err != nil {
				return kit.Parts{}, fmt.Errorf("the web client: %w; build it again with make web", err)
			}
			s := newService(n, c)
			guides, err := readHelp(built)
			if err != nil {
				return kit.Parts{}, fmt.Errorf("the web client: %w; build it again with make web", err)
			}
			return kit.Parts{Endpoints: append(s.endpoints(), s.help(guides))}, n.Home.Show(s)
		})
}
