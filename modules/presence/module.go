package presence

import (
	"embed"
	"sync"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

//go:embed migrations
var migrations embed.FS

// Module shares users' presence.
var Module = kit.Define("presence", "Tells who is there and who has gone.", Config{}, wire)

// Config has no settings.
type Config struct{}

type needs struct {
	fx.In
	DB        *bunstore.DB
	Writer    ports.Writer
	Log       ports.EventLog
	Reader    ports.LogReader
	Directory ports.Directory
	Clock     ports.Clock
}

type service struct {
	needs
	rows    store
	changes *ports.IntentKind

	mu    sync.Mutex
	books map[realm.ID]*book
}

func wire(_ Config, n needs) (kit.Parts, error) {
	s := &service{needs: n, rows: store{n.DB}, books: map[realm.ID]*book{}}
	s.changes = &ports.IntentKind{Name: "presence", Order: 90, Write: s.write}
	return kit.Parts{
		Endpoints: []kit.Endpoint{
			kit.POST("/users/me/presence", kit.Humans, s.report, "Reports that the caller is there, and tells who else is."),
			kit.GET("/users/:user_id/presence", kit.Users, s.get, "When a user was last there, by id or e-mail."),
			kit.GET("/realm/presence", kit.Users, s.list, "When everybody was last there."),
		},
		Exports:    exported(),
		Rows:       kit.RowsOf("presences"),
		Migrations: migrations,
		Register:   []kit.Section{kit.RegisterFor("presence", s.section)},
		Events:     []kit.AnyEvent{presenceEvent.Late(s.times).Any()},
		Hooks: []kit.Hook{
			kit.On(s.settingsChanged),
			kit.On(s.reactivated),
			kit.On(s.noting),
			kit.On(s.met),
		},
		Answers: []kit.Answer{kit.Answers(s.recentlyActive)},
		Jobs:    []kit.Job{{Name: "forget_presences", Every: unused, Everywhere: true, Run: s.forget}},
	}, nil
}
