package skeleton

import (
	"embed"
	"errors"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

//go:embed migrations
var migrations embed.FS

// Module stores the items of users.
var Module = kit.Define("skeleton", "Stores short texts of users.", Config{MaxPerUser: 100}, wire)

// Config is the section modules.skeleton of the configuration.
type Config struct {
	MaxPerUser int64 `yaml:"max_per_user"` // items of one user
}

// Validate returns an error if a setting is invalid.
func (c Config) Validate() error {
	if c.MaxPerUser < 1 {
		return errors.New("max_per_user must be at least 1")
	}
	return nil
}

type needs struct {
	fx.In
	DB   *bunstore.DB
	Work ports.UnitOfWork
	Log  ports.EventLog
}

type service struct {
	needs
	cfg  Config
	rows store
}

func wire(cfg Config, n needs) (kit.Parts, error) {
	s := &service{n, cfg, store{n.DB}}
	return kit.Parts{
		Endpoints: []kit.Endpoint{
			kit.GET("/skeleton", kit.Users, s.list, "Lists the caller's items, oldest first."),
			kit.POST("/skeleton", kit.Users, s.add, "Adds an item for the caller.").Causing("skeleton/add"),
			kit.DELETE("/skeleton/:item_id", kit.Users, s.remove, "Deletes an item of the caller.").
				Causing("skeleton/remove"),
		},
		Tables:     []kit.Table{kit.Exported[row]("A user's item.")},
		Migrations: migrations,
		Register:   []kit.Section{kit.Register("skeleton", s.section)},
		Events:     []kit.AnyEvent{itemAdded.Any(), itemRemoved.Any()},
		Hooks:      []kit.Hook{kit.On(s.profileDeleted)},
	}, nil
}
