package identities

import (
	"embed"
	"log/slog"
	"time"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/signin"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/kit/page"
	"github.com/stoachat/stoa/ports"
)

// Module logs in users whom identity providers have identified.
var Module = kit.Provide("identities", "Connects accounts to identity providers, for modules such as oidc.", Config{},
	wire)

// Config has no settings: the modules of the providers configure these.
type Config struct{}

//go:embed migrations
var migrations embed.FS

type needs struct {
	fx.In
	DB     *bunstore.DB
	Work   ports.UnitOfWork
	Clock  ports.Clock
	Audit  ports.Audit
	Logger *slog.Logger

	Directory ports.Directory
	Realms    ports.Realms
	Sessions  ports.Sessions
	Accounts  ports.Accounts
	Passwords ports.Passwords
	Keys      ports.Credentials
	SignIns   ports.SignIns
	Users     ports.BotAccounts
	Settings  ports.UserSettings
	Groups    ports.Groups `optional:"true"`
	Outbox    ports.Outbox `optional:"true"`

	Site        ports.Site
	LogoutPages kit.QueryAll[signin.LogoutPage, signin.Elsewhere]
	HasPassword kit.Query[user.HasPassword, bool]
	Methods     kit.QueryAll[signin.Methods, []signin.Method]
	Manages     kit.QueryAll[signin.Manages, signin.Provider]
}

type service struct {
	needs
	rows store
}

// Paths of the pages.
const (
	connectPath = "/accounts/connect"
)

func wire(_ Config, n needs) (kit.Parts, ports.Identities, error) {
	s := &service{needs: n, rows: store{n.DB}}
	return kit.Parts{
		Schemas: []kit.Schema{kit.SchemaOf[shown]("Identity", "A connected account at an identity provider.")},
		Endpoints: []kit.Endpoint{
			kit.GET("/stoa/identities", kit.Humans, s.list,
				"Lists the providers, and the caller's accounts at them that are connected, oldest first.").
				Operation("getIdentities"),
			kit.POST("/stoa/identities", kit.Humans, s.request,
				"Returns a URL for connecting the caller's account to one at an identity provider.").
				Operation("connectIdentity"),
			kit.DELETE("/stoa/identities/:identity_id", kit.Humans, s.disconnect,
				"Disconnects the caller's account from one at an identity provider.").
				Operation("disconnectIdentity"),
			kit.GET("/stoa/identities/users/:user_id", kit.Admins, s.managed,
				"Says which identity provider manages a user's account, and what people cannot change.").
				Operation("getIdentityManager"),
			kit.Mount(connectPath, kit.Anyone, page.Handler("connect", pageTemplate, n.Logger, s.connectPage),
				"The page that asks for a password, or a code from an email, before an account is connected to a provider.").
				Rate(kit.LoginClass).MaxBody(page.MaxBody),
		},
		Tables: []kit.Table{
			kit.Exported[identity]("A user's account at an identity provider."),
			kit.NotExported[flow]("logins in progress").OnRestore(kit.Credential),
			kit.NotExported[code]("logins in progress").OnRestore(kit.Credential),
			kit.NotExported[begun]("belongs to sessions, which are not exported").OnRestore(kit.Credential),
		},
		Migrations: migrations,
		Hooks: []kit.Hook{
			kit.On(s.profileDeleted).Again(), kit.On(s.sessionsEnded), kit.On(s.kept), kit.On(s.sessionBegun),
		},
		Answers: []kit.Answer{kit.Answers(s.stillLoggedIn), kit.Answers(s.write)},
		Jobs: []kit.Job{
			{Name: "forget_flows", Deletes: true, Every: time.Hour, Timeout: 10 * time.Minute, Run: s.forget},
		},
	}, s, nil
}
