package linkifiers

import (
	"embed"
	"errors"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/linkifier"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

//go:embed migrations
var migrations embed.FS

// Module manages linkifiers.
var Module = kit.Define(
	"linkifiers",
	"Turns text that matches a pattern into links.",
	Config{MaxPerRealm: 100},
	wire,
)

// Config limits the number of linkifiers.
type Config struct {
	MaxPerRealm int `yaml:"max_per_realm"` // maximum number of linkifiers per realm; a tenth is kept for owners
}

// Validate checks the limits.
func (c Config) Validate() error {
	if c.MaxPerRealm < 1 || c.MaxPerRealm > 1000 {
		return errors.New("max_per_realm: want 1 to 1000")
	}
	return nil
}

type needs struct {
	fx.In
	DB        *bunstore.DB
	Work      ports.UnitOfWork
	Log       ports.EventLog
	Directory ports.Directory
}

type service struct {
	needs
	cfg  Config
	rows store
}

func wire(cfg Config, n needs) (kit.Parts, error) {
	s := &service{n, cfg, store{n.DB}}
	return kit.Parts{
		Schemas: []kit.Schema{kit.SchemaOf[shown]("Linkifier", "A linkifier.")},
		Endpoints: []kit.Endpoint{
			kit.GET("/realm/linkifiers", kit.Users, s.list, "Lists the linkifiers in the order they are applied.").
				Operation("getLinkifiers"),
			kit.PATCH("/realm/linkifiers", kit.Admins, s.reorder, "Reorders the linkifiers.").
				Operation("reorderLinkifiers"),
			kit.POST("/realm/linkifiers/test", kit.Admins, s.test,
				"Returns what a linkifier would link in a text, without storing the linkifier.").
				Operation("testLinkifier"),
			kit.POST("/realm/filters", kit.Admins, s.add, "Adds a linkifier at the end of the list.").
				Operation("addLinkifier"),
			kit.PATCH("/realm/filters/:filter_id", kit.Admins, s.update, "Changes a linkifier.").
				Operation("updateLinkifier"),
			kit.DELETE("/realm/filters/:filter_id", kit.Admins, s.remove, "Removes a linkifier.").
				Operation("deleteLinkifier"),
		},
		Tables:     []kit.Table{kit.Imported(kit.Exported[row]("A linkifier."), adapt)},
		Migrations: migrations,
		Register:   []kit.Section{kit.Register("realm_linkifiers", s.section)},
		Events:     []kit.AnyEvent{changedList.Any()},
		Directory:  []directory.Part{linkifier.Shared.Part(s.rows.Load)},
	}, nil
}
