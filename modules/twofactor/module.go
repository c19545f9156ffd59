package twofactor

import (
	"embed"
	"errors"
	"log/slog"
	"time"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/declared"
	"github.com/stoachat/stoa/domain/session"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/kit/page"
	"github.com/stoachat/stoa/ports"
)

// Module asks people for a second factor when they log in.
var Module = kit.Define("twofactor", "Asks people for a second factor when they log in.", Config{
	Tries: 5, Window: 5 * time.Minute, Fresh: 5 * time.Minute,
}, wire)

// Config is the configuration of the module.
type Config struct {
	Tries  int           `yaml:"tries"`  // codes that may be tried for a user in the window, and in each login
	Window time.Duration `yaml:"window"` // time in which tries are counted
	// how long after a login people change their second factors without entering the password again
	Fresh time.Duration `yaml:"fresh"`
}

// Validate checks the configuration.
func (c Config) Validate() error {
	switch {
	case c.Tries < 1 || c.Tries > 100:
		return errors.New("tries: want 1 to 100")
	case c.Window < time.Minute:
		return errors.New("window: want a minute or more")
	case c.Fresh < 0:
		return errors.New("fresh: want 0 or more")
	}
	return nil
}

//go:embed migrations
var migrations embed.FS

type needs struct {
	fx.In
	DB     *bunstore.DB
	Work   ports.UnitOfWork
	Clock  ports.Clock
	Audit  ports.Audit
	Sealer ports.Sealer
	Logger *slog.Logger

	Directory   ports.Directory
	Realms      ports.Realms
	Sessions    ports.Sessions
	Passwords   ports.Passwords
	Credentials ports.Credentials
	SignIns     ports.SignIns
	Outbox      ports.Outbox `optional:"true"`

	HasPassword kit.Query[user.HasPassword, bool]
	Began       kit.Query[session.Began, time.Time]
}

type service struct {
	needs
	cfg  Config
	rows store
}

// Whom an organization can require to have a second factor.
const (
	nobody  = "nobody"
	admins  = "admins"
	members = "members"
)

var (
	required = declared.ForRealm("require_second_factor", declared.OneOf(nobody, nobody, admins, members),
		"Who needs a second factor",
		"Besides their password, people enter a code of an authenticator app when they log in. “admins” includes owners, "+
			"and “members” includes guests.").ByOwners()
	grace = declared.ForRealm("second_factor_grace_days", declared.Int(7, 0, 90), "Days to set it up",
		"They begin when a second factor becomes necessary. When they are over, sessions and API keys of people without "+
			"one end, and it is set up during the login.").ByOwners()
)

// pagePath is the path of the page that asks for a second factor.
const pagePath = "/accounts/second-factor"

// guesses is the name of the rate class.
const guesses = "guesses"

func wire(cfg Config, n needs) (kit.Parts, error) {
	s := &service{needs: n, cfg: cfg, rows: store{n.DB}}
	return kit.Parts{
		Endpoints: []kit.Endpoint{
			kit.GET("/stoa/second_factor", kit.Humans, s.show, "Describes the second factors of the caller.").
				Operation("getSecondFactor"),
			kit.POST("/stoa/second_factor/app", kit.Humans, s.beginApp,
				"Returns a secret for an authenticator app.").Operation("beginAuthenticatorApp").
				RequirePassword("password"),
			kit.POST("/stoa/second_factor/app/confirm", kit.Humans, s.confirmApp,
				"Sets up an authenticator app with a code that it shows.").Operation("confirmAuthenticatorApp"),
			kit.DELETE("/stoa/second_factor/app", kit.Humans, s.removeApp,
				"Removes the caller's authenticator app.").Operation("removeAuthenticatorApp").
				RequirePassword("password"),
			kit.POST("/stoa/second_factor/recovery_codes", kit.Humans, s.newCodes,
				"Replaces the caller's recovery codes.").Operation("replaceRecoveryCodes").
				RequirePassword("password"),
			kit.POST("/stoa/second_factor/passkeys/begin", kit.Humans, s.beginKey,
				"Returns the options with which the browser makes a passkey.").Operation("beginPasskey").
				RequirePassword("password"),
			kit.POST("/stoa/second_factor/passkeys", kit.Humans, s.addKey, "Adds a passkey of the caller.").
				Operation("addPasskey"),
			kit.DELETE("/stoa/second_factor/passkeys/:passkey_id", kit.Humans, s.removeKey,
				"Removes a passkey of the caller.").Operation("removePasskey").RequirePassword("password"),
			kit.DELETE("/stoa/second_factor/users/:user_id", kit.Admins, s.reset,
				"Removes the second factors of another user who has lost them.").Operation("resetSecondFactor"),
			kit.Mount(pagePath, kit.Anyone, page.Handler("second factor", pageTemplate, n.Logger, s.page),
				"The page that asks for a second factor.").Rate(guesses).MaxBody(2 * maxCredential),
			kit.Mount(passkeyPath, kit.Anyone, page.Handler("passkey", passkeyTemplate, n.Logger, s.passkeyPage),
				"The page to log in with a passkey.").Rate(guesses).MaxBody(2 * maxCredential),
		},
		Tables: []kit.Table{
			kit.NotExported[factors]("login secrets"),
			kit.NotExported[recoveryCode]("login secrets"),
			kit.NotExported[passkey]("login secrets"),
			kit.NotExported[passkeyUser]("login secrets"),
			kit.NotExported[step]("logins in progress").OnRestore(kit.Credential),
			kit.NotExported[notice]("emails waiting to be sent").OnRestore(kit.Outgoing),
		},
		Migrations: migrations,
		Settings:   []declared.Any{required, grace},
		Hooks:      []kit.Hook{kit.On(s.profileDeleted).Again(), kit.On(s.loginChanged)},
		Answers: []kit.Answer{
			kit.Answers(s.methods), kit.Answers(s.ask), kit.Answers(s.needed), kit.Answers(s.write),
		},
		Commands: s.commands(),
		Rates: []kit.RateClass{
			{Name: guesses, Doc: "Limits the page that asks for a second factor.", PerUser: 60},
		},
		Jobs: []kit.Job{
			{Name: "enforce", Every: time.Hour, Timeout: 30 * time.Minute, Run: s.enforce},
			{Name: "forget_second_steps", Deletes: true, Every: time.Hour, Timeout: 10 * time.Minute, Run: s.forget},
		},
	}, nil
}
