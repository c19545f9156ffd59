package presence

import (
	"embed"
	"sync"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/event"
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
	Metrics   *ports.Metrics

	Strict kit.Query[event.Strict, bool]
}

type service struct {
	needs
	rows    store
	changes *ports.IntentKind

	mu     sync.Mutex
	caches map[realm.ID]*rowCache
}

func wire(_ Config, n needs) (kit.Parts, error) {
	s := &service{needs: n, rows: store{n.DB}, caches: map[realm.ID]*rowCache{}}
	s.changes = &ports.IntentKind{Name: "presence", Order: 90, Write: s.write}
	s.measure()
	return kit.Parts{
		Schemas: schemas(),
		Endpoints: []kit.Endpoint{
			kit.POST("/users/me/presence", kit.Humans, s.report, "Reports the caller's presence and returns that of others.").
				Operation("updateOwnPresence").Shows(reportShown{}),
			kit.GET("/users/:user_id/presence", kit.Users, s.get, "Returns a user's presence, by ID or email address."),
			kit.GET("/realm/presence", kit.Users, s.list, "Returns the presence of all users."),
		},
		Tables:     []kit.Table{kit.Exported[row]("When a user was last active.")},
		Migrations: migrations,
		Register:   []kit.Section{kit.RegisterFor("presence", s.section).Compress("presences")},
		Events:     []kit.AnyEvent{presenceEvent.Late(s.times).Any()},
		Hooks: []kit.Hook{
			kit.On(s.settingsChanged),
			kit.On(s.reactivated),
			kit.On(s.storeReports),
			kit.On(s.introduced),
		},
		CatchUp: s.catchUp,
		Answers: []kit.Answer{kit.Answers(s.recentlyActive)},
		Jobs:    []kit.Job{{Name: "forget_presences", Every: maxIdle, Everywhere: true, Run: s.evictIdle}},
	}, nil
}
