package bots

import (
	"embed"
	"errors"
	"log/slog"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/bot"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/picture"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

//go:embed migrations
var migrations embed.FS

// Module manages bots.
var Module = kit.Define(
	"bots",
	"Bots: their settings, API keys, owners and storage.",
	Config{MaxPerOwner: 500, MaxStorage: bot.MaxStorage},
	wire,
)

// Config is the configuration of the module.
type Config struct {
	MaxPerOwner int `yaml:"max_per_owner"` // maximum number of bots per owner, including deactivated ones
	MaxStorage  int `yaml:"max_storage"`   // maximum number of characters per bot, keys and values together
}

// Validate checks the configuration.
func (c Config) Validate() error {
	if c.MaxPerOwner < 1 {
		return errors.New("max_per_owner: want a positive number")
	}
	if c.MaxStorage < 1 || c.MaxStorage > 100*bot.MaxStorage {
		return errors.New("max_storage: want 1 to 1000000000")
	}
	return nil
}

type needs struct {
	fx.In
	DB          *bunstore.DB
	Work        ports.UnitOfWork
	Log         ports.EventLog
	Audit       ports.Audit
	Directory   ports.Directory
	Sealer      ports.Sealer
	Logger      *slog.Logger
	Accounts    ports.Accounts
	BotAccounts ports.BotAccounts

	Announced kit.Query[permission.WaitingPeriod, permission.Announced]
	Avatar    kit.Query[user.UploadedAvatar, user.SetAvatar]
}

type service struct {
	needs
	cfg   Config
	store store
	events
}

func wire(cfg Config, n needs) (kit.Parts, error) {
	s := &service{needs: n, cfg: cfg, store: store{n.DB}}
	s.events = newEvents(s.loadServices)
	return kit.Parts{
		Schemas: []kit.Schema{
			kit.SchemaOf[record]("BotDetails", "What only those see who manage a bot."),
			kit.SchemaOf[listed]("OwnBot", "A bot of the caller."),
			kit.SchemaOf[outgoing]("BotService", "What an outgoing webhook bot calls."),
		},
		Endpoints: []kit.Endpoint{
			kit.GET("/bots", kit.Members, s.list, "The caller's active bots, with their keys."),
			kit.POST("/bots", kit.HumanMembers, s.create, "Creates a bot.").Upload(picture.MaxUpload),
			kit.PATCH("/bots/:bot_id", kit.Members, s.update, "Changes a bot.").Upload(picture.MaxUpload),
			kit.DELETE("/bots/:bot_id", kit.Members, s.deactivate, "Deactivates a bot.").Operation("deactivateBot"),
			kit.GET("/bots/:bot_id/api_key", kit.Members, s.key, "A bot's API key."),
			kit.POST(
				"/bots/:bot_id/api_key/regenerate",
				kit.Members,
				s.regenerate,
				"Creates a new API key for a bot and revokes all others.",
			).Operation("regenerateBotApiKey"),
			kit.GET("/bot_storage", kit.Bots, s.getEntries, "The calling bot's entries with the given keys, or all."),
			kit.PUT("/bot_storage", kit.Bots, s.putEntries, "Stores entries of the calling bot.").MaxBody(maxStorageBody).
				Idempotent(),
			kit.DELETE("/bot_storage", kit.Bots, s.deleteEntries,
				"Deletes the calling bot's entries with the given keys, or all."),
		},
		Tables: []kit.Table{
			kit.Exported[row]("A bot's default channels and, for outgoing webhook bots, the URL that it posts to."),
			kit.NotExported[entryRow]("may contain keys of other services"),
			kit.NotExported[sizeRow]("may contain keys of other services"),
		},
		Migrations: migrations,
		Doctor:     diagnoses(),
		Register:   []kit.Section{kit.Register("realm_bot", s.section)},
		Events:     []kit.AnyEvent{s.added.Any(), s.updated.Any(), s.deleted.Any(), defaultsChanged.Any()},
		Hooks:      []kit.Hook{kit.On(s.follow), kit.On(s.becameFullMembers), kit.On(s.erasing)},
		Directory:  []directory.Part{bot.Shared.Part(s.store.Load)},
		Answers:    []kit.Answer{kit.Answers(s.config), kit.Answers(s.service)},
	}, nil
}
