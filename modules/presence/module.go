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

// Module shares when users were last active.
var Module = kit.Define("presence", "Shares users' presence.", Config{}, wire)

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
			kit.POST("/users/me/presence", kit.Humans, s.report, "Reports the caller's presence, and returns that of others."),
			kit.GET("/users/:user_id/presence", kit.Users, s.get, "A user's presence, by ID or email."),
			kit.GET("/realm/presence", kit.Users, s.list, "The presence of all users."),
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
			kit.On(s.introduced),
		},
		Answers: []kit.Answer{kit.Answers(s.recentlyActive)},
		Jobs:    []kit.Job{{Name: "forget_presences", Every: unused, Everywhere: true, Run: s.forget}},
	}, nil
}
