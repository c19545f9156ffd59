package scim

import (
	"embed"
	"log/slog"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/profilefield"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/scim/internal/schema"
	"github.com/stoachat/stoa/ports"
)

// Module lets identity providers manage accounts and user groups.
var Module = kit.Define("scim", "Lets identity providers create, change and deactivate accounts (SCIM 2.0).",
	Config{EmailSource: fromUserName, MaxRole: "member"}, wire).Optional()

//go:embed migrations
var migrations embed.FS

type needs struct {
	fx.In
	DB        *bunstore.DB
	Work      ports.UnitOfWork
	Directory ports.Directory
	Clock     ports.Clock
	Audit     ports.Audit
	Realms    ports.Realms
	Site      ports.Site
	Logger    *slog.Logger
	Accounts  ports.Accounts
	Users     ports.BotAccounts
	Groups    ports.Groups
	Hooks     ports.Hooks

	Fields kit.Query[profilefield.FieldsOf, []profilefield.Field]
}

type service struct {
	needs
	cfg    Config
	rows   store
	rates  *rates
	turns  *kit.Semaphore[realm.ID]
	people *schema.Resource
	groups *schema.Resource
}

// prefix is the path of the protocol.
const prefix = "/scim/v2"

// Limits of requests.
const (
	maxBody       = 1 << 20 // bytes
	maxConcurrent = 4       // requests of an organization at a time
)

func wire(cfg Config, n needs) (kit.Parts, error) {
	s := &service{
		needs: n, cfg: cfg, rows: store{n.DB}, rates: &rates{clock: n.Clock},
		people: schema.User(cfg.EmailSource == fromEmails), groups: schema.Group(),
		turns: kit.NewSemaphore[realm.ID](maxConcurrent),
	}
	protocol := kit.Mount(prefix, kit.Anyone, s, "Provisions accounts and user groups (SCIM 2.0), with a bearer token.").
		Rate(kit.RateServers).MaxBody(maxBody)
	protocol.Refuse = refuse
	return kit.Parts{
		Endpoints: []kit.Endpoint{
			protocol,
			kit.GET("/stoa/scim/tokens", kit.Owners, s.list, "Lists the tokens with which identity providers manage accounts.").
				Operation("getScimTokens"),
			kit.POST("/stoa/scim/tokens", kit.Owners, s.create,
				"Creates a token with which an identity provider manages accounts. It is returned only once.").
				Operation("createScimToken"),
			kit.DELETE("/stoa/scim/tokens/:token_id", kit.Owners, s.revoke, "Revokes a token of an identity provider.").
				Operation("revokeScimToken"),
			kit.GET("/stoa/scim/users/:user_id", kit.Admins, s.managed,
				"Returns which identity provider manages an account.").
				Operation("getScimUser"),
		},
		Tables: []kit.Table{
			kit.NotExported[token]("credentials of this server").OnRestore(kit.Credential),
			kit.NotExported[person]("belongs to an identity provider, which sends it again"),
			kit.NotExported[ours]("belongs to an identity provider, which sends it again"),
		},
		Migrations: migrations,
		Commands:   s.commands(),
		Hooks:      []kit.Hook{kit.On(s.profileDeleted).Again(), kit.On(s.reactivated), kit.On(s.changed)},
	}, nil
}
