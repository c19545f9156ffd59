package snippets

import (
	"embed"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

//go:embed migrations
var migrations embed.FS

// Module stores saved snippets.
var Module = kit.Define("snippets", "Stores texts that users save for reuse.", Config{}, wire)

// Config has no settings.
type Config struct{}

type needs struct {
	fx.In
	DB    *bunstore.DB
	Work  ports.UnitOfWork
	Log   ports.EventLog
	Clock ports.Clock
}

type service struct {
	needs
	rows store
}

func wire(_ Config, n needs) (kit.Parts, error) {
	s := &service{n, store{n.DB}}
	return kit.Parts{
		Schemas: []kit.Schema{kit.SchemaOf[wireSnippet]("SavedSnippet", "A saved snippet.")},
		Endpoints: []kit.Endpoint{
			kit.GET("/saved_snippets", kit.Users, s.list, "Lists the caller's saved snippets, oldest first."),
			kit.POST("/saved_snippets", kit.Users, s.add, "Saves a snippet for the caller."),
			kit.PATCH("/saved_snippets/:saved_snippet_id", kit.Users, s.change, "Changes a saved snippet of the caller."),
			kit.DELETE("/saved_snippets/:saved_snippet_id", kit.Users, s.remove, "Deletes a saved snippet of the caller."),
		},
		Tables:     []kit.Table{kit.Exported[row]("A user's snippet.")},
		Migrations: migrations,
		Register:   []kit.Section{kit.Register("saved_snippets", s.section)},
		Events: []kit.AnyEvent{
			snippetAdded.Late(s.load).Any(), snippetChanged.Late(s.load).Any(), snippetRemoved.Any(),
		},
		Hooks: []kit.Hook{kit.On(s.profileDeleted).Again()},
	}, nil
}
