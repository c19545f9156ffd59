package navigation

import (
	"embed"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

//go:embed migrations
var migrations embed.FS

// Module stores the views in users' sidebars.
var Module = kit.Define("navigation", "Stores the views in users' sidebars.", Config{}, wire)

// Config has no settings.
type Config struct{}

type needs struct {
	fx.In
	DB   *bunstore.DB
	Work ports.UnitOfWork
	Log  ports.EventLog
}

type service struct {
	needs
	rows store
}

func wire(_ Config, n needs) (kit.Parts, error) {
	s := &service{n, store{n.DB}}
	return kit.Parts{
		Endpoints: []kit.Endpoint{
			kit.GET("/navigation_views", kit.Users, s.list, "Lists the views in the caller's sidebar."),
			kit.POST("/navigation_views", kit.Users, s.add, "Adds a view to the caller's sidebar."),
			kit.PATCH("/navigation_views/:fragment+", kit.Users, s.change, "Changes a view in the caller's sidebar."),
			kit.DELETE("/navigation_views/:fragment+", kit.Users, s.remove, "Removes a view from the caller's sidebar."),
		},
		Tables:     []kit.Table{kit.Exported[row]("A view in a user's sidebar.")},
		Migrations: migrations,
		Register:   []kit.Section{kit.Register("navigation_views", s.section)},
		Events:     []kit.AnyEvent{viewAdded.Any(), viewChanged.Any(), viewRemoved.Any()},
		Hooks:      []kit.Hook{kit.On(s.forget).Again()},
	}, nil
}
