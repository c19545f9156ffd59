package status

import (
	"embed"
	"time"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/realm"
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
	Directory ports.Directory
	Emoji     ports.Emoji
	Audit     ports.Audit
	Clock     ports.Clock
	Settings  ports.UserSettings

	ZulipNames kit.Query[realm.KnowsOnlyZulipNames, bool]
}

type service struct {
	needs
	rows   store
	ending kit.Backlog
}

func wire(_ Config, n needs) (kit.Parts, error) {
	s := &service{needs: n, rows: store{n.DB}}
	s.ending.Earliest = earliestEnd
	return kit.Parts{
		Endpoints: []kit.Endpoint{
			kit.POST("/users/me/status", kit.Humans, s.set, "Changes the caller's status.").
				Operation("updateOwnStatus").Idempotent(),
			kit.GET("/users/:user_id/status", kit.Users, s.get, "Returns a user's status."),
			kit.POST("/users/:user_id/status", kit.Admins, s.setFor, "Changes another user's status.").
				Operation("updateUserStatus"),
		},
		Tables:     []kit.Table{kit.Imported(kit.Exported[row]("A user's status."), adapt)},
		Migrations: migrations,
		Register:   []kit.Section{kit.Register("user_status", s.section)},
		Events:     []kit.AnyEvent{changed.Late(s.loadStatuses).Any()},
		Hooks: []kit.Hook{
			kit.On(s.presenceChanged), kit.On(s.joined), kit.On(s.profileDeleted).Again(), kit.On(s.introduced),
		},
		Jobs: []kit.Job{{
			Name: "end statuses", Every: time.Second, Backlog: &s.ending, Timeout: time.Minute, Run: s.end,
		}},
	}, nil
}
