package mutes

import (
	"embed"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

// Module lets users mute other users.
var Module = kit.Define("mutes", "Mutes users. Runs wherever messages does.", Config{}, wire).SplitFrom("messages")

// Config has no settings yet.
type Config struct{}

//go:embed migrations
var migrations embed.FS

type needs struct {
	fx.In
	DB        *bunstore.DB
	Work      ports.UnitOfWork
	Log       ports.EventLog
	Directory ports.Directory
	Clock     ports.Clock
	Read      ports.ReadStates
}

type service struct {
	needs
	store store
}

func wire(_ Config, n needs) (kit.Parts, error) {
	s := &service{n, store{n.DB}}
	return kit.Parts{
		Endpoints: []kit.Endpoint{
			kit.POST("/users/me/muted_users/:muted_user_id", kit.Users, s.mute, "Mutes a user.").
				Operation("muteUser"),
			kit.DELETE("/users/me/muted_users/:muted_user_id", kit.Users, s.unmute, "Unmutes a user.").
				Operation("unmuteUser"),
		},
		Migrations: migrations,
		Register:   []kit.Section{kit.Register("muted_users", s.section)},
		Events:     []kit.AnyEvent{mutedUsers.Any()},
		Directory:  []directory.Part{{Name: "mutes", Load: s.store.load}},
		Tables:     []kit.Table{kit.Exported[muteRow]("A user whom another user has muted.")},
	}, nil
}
