package status

import (
	"embed"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

//go:embed migrations
var migrations embed.FS

// Module stores users' statuses.
var Module = kit.Define("status", "Users' statuses.", Config{}, wire)

// Config has no settings.
type Config struct{}

type needs struct {
	fx.In
	DB        *bunstore.DB
	Work      ports.UnitOfWork
	Log       ports.EventLog
	Hooks     ports.Hooks
	Directory ports.Directory
	Emoji     ports.Emoji
	Settings  ports.UserSettings
}

type service struct {
	needs
	rows store
}

func wire(_ Config, n needs) (kit.Parts, error) {
	s := &service{n, store{n.DB}}
	return kit.Parts{
		Endpoints: []kit.Endpoint{
			kit.POST("/users/me/status", kit.Humans, s.set, "Changes the caller's status."),
			kit.GET("/users/:user_id/status", kit.Users, s.get, "Returns a user's status."),
			kit.POST("/users/:user_id/status", kit.Admins, s.setFor, "Changes another user's status."),
		},
		Exports:    exported(),
		Rows:       kit.RowsOf("user_statuses"),
		Migrations: migrations,
		Register:   []kit.Section{kit.Register("user_status", s.section)},
		Events:     []kit.AnyEvent{changed.Late(s.loadStatuses).Any()},
		Hooks:      []kit.Hook{kit.On(s.presenceChanged), kit.On(s.joined), kit.On(s.profileDeleted), kit.On(s.introduced)},
	}, nil
}
