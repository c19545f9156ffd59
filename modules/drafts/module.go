package drafts

import (
	"embed"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

//go:embed migrations
var migrations embed.FS

// Module stores drafts.
var Module = kit.Define("drafts", "Stores unsent messages.", Config{}, wire)

// Config has no settings.
type Config struct{}

type needs struct {
	fx.In
	DB        *bunstore.DB
	Work      ports.UnitOfWork
	Log       ports.EventLog
	Directory ports.Directory
	Clock     ports.Clock
}

type service struct {
	needs
	rows store
}

// maxBody allows for many long drafts, which a client may upload when it first connects.
const maxBody = 4 << 20

func wire(_ Config, n needs) (kit.Parts, error) {
	s := &service{n, store{n.DB}}
	return kit.Parts{
		Schemas: []kit.Schema{kit.SchemaOf[shown]("Draft", "A draft.")},
		Endpoints: []kit.Endpoint{
			kit.GET("/drafts", kit.Users, s.list, "Lists the caller's drafts, by the time of their last edit."),
			kit.POST("/drafts", kit.Users, s.add, "Adds drafts of the caller.").MaxBody(maxBody),
			kit.PATCH("/drafts/:draft_id", kit.Users, s.change, "Changes a draft of the caller."),
			kit.DELETE("/drafts/:draft_id", kit.Users, s.remove, "Removes a draft of the caller."),
		},
		Tables:     []kit.Table{kit.Imported(kit.Exported[row]("A user's draft."), adapt)},
		Migrations: migrations,
		Register:   []kit.Section{kit.Register("drafts", s.section)},
		Events: []kit.AnyEvent{draftsAdded.Late(s.readAdded).Any(), draftChanged.Late(s.readChanged).Any(),
			draftRemoved.Any()},
		Hooks:   []kit.Hook{kit.On(s.settingsChanged), kit.On(s.forget).Again()},
		CatchUp: s.catchUp,
	}, nil
}
