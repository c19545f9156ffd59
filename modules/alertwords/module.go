package alertwords

import (
	"embed"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/alertword"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

//go:embed migrations
var migrations embed.FS

// Module stores users' alert words.
var Module = kit.Define("alertwords", "Alerts users to messages that contain words of their choice.", Config{}, wire)

// Config has no settings.
type Config struct{}

type needs struct {
	fx.In
	DB        *bunstore.DB
	Work      ports.UnitOfWork
	Log       ports.EventLog
	Directory ports.Directory
}

type service struct {
	needs
	rows store
}

func wire(_ Config, n needs) (kit.Parts, error) {
	s := &service{n, store{n.DB}}
	changed := alertWords.Late(s.read)
	return kit.Parts{
		Endpoints: []kit.Endpoint{
			kit.GET("/users/me/alert_words", kit.Users, s.list, "Lists the caller's alert words."),
			kit.POST("/users/me/alert_words", kit.Users, s.add, "Adds alert words of the caller.").
				Operation("addAlertWords").Idempotent(),
			kit.DELETE("/users/me/alert_words", kit.Users, s.remove, "Removes alert words of the caller.").
				Operation("removeAlertWords").Idempotent(),
		},
		Tables:     []kit.Table{kit.Imported(kit.Exported[row]("A user's alert word."), adapt)},
		Migrations: migrations,
		Hooks:      []kit.Hook{kit.On(s.profileDeleted).Again()},
		Register:   []kit.Section{kit.Register("alert_words", s.section)},
		Events:     []kit.AnyEvent{changed.Any()},
		Directory:  []directory.Part{alertword.Shared.Part(s.rows.Load)},
	}, nil
}
