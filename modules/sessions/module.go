package sessions

import (
	"context"
	"embed"
	"errors"
	"log/slog"
	"time"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/declared"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/signin"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/kit/page"
	"github.com/stoachat/stoa/ports"
)

// Module manages browser sessions.
var Module = kit.Provide("sessions", "Browser sessions, and the pages to log in and out.", Config{
	Lifetime: 90 * day, Idle: 14 * day, MaxPerUser: 50,
}, wire)

// Config is the configuration of the module.
type Config struct {
	// how long a session lasts, if it is used, unless the organization changes its setting session_life_days
	Lifetime time.Duration `yaml:"life"`
	// how long it lasts without use, unless the organization changes session_idle_days
	Idle time.Duration `yaml:"idle"`
	// maximum number of sessions per user; beyond it, the oldest session ends
	MaxPerUser int `yaml:"max_per_person"`
}

// Validate checks the configuration.
func (c Config) Validate() error {
	switch {
	case c.Lifetime < time.Minute:
		return errors.New("life: want a minute or more")
	case c.Idle < time.Minute:
		return errors.New("idle: want a minute or more")
	case c.MaxPerUser < 1:
		return errors.New("max_per_person: want a positive number")
	}
	return nil
}

//go:embed migrations
var migrations embed.FS

type needs struct {
	fx.In
	DB        *bunstore.DB
	Work      ports.UnitOfWork
	Log       ports.EventLog
	Directory ports.Directory
	Hooks     ports.Hooks
	Clock     ports.Clock
	Collected *kit.Collected
	Logger    *slog.Logger
	Site      ports.Site
	Renderer  ports.Renderer

	Realms    ports.Realms
	Accounts  ports.Accounts
	Passwords ports.Passwords

	Methods       kit.QueryAll[signin.Methods, []signin.Method]
	StillLoggedIn kit.Query[signin.StillLoggedIn, signin.Elsewhere]
	SecondStep    kit.Query[signin.SecondStep, signin.Challenge]

	Outbox     ports.Outbox     `optional:"true"`
	Spectators ports.Spectators `optional:"true"`
}

// provides holds the ports that the module provides.
type provides struct {
	fx.Out
	Sessions ports.Sessions
	SignIns  ports.SignIns
	Login    ports.LoginPage
}

type service struct {
	needs
	cfg   Config
	times lifetimes
	rows  store
	used  used
}

// changed is the log entry for started and ended sessions. It is not sent to clients.
var changed = kit.Event[kit.None]("session", "changed").Internal()

// Paths of the pages.
const (
	rootPath    = "" // served by the module homepage
	loginPath   = "/login"
	loginAlias  = "/accounts/login"
	tokenPath   = "/accounts/login/subdomain"
	logoutPath  = "/accounts/logout"
	signUpPath  = "/register"                // served by other modules
	forgotPath  = "/accounts/password/reset" // served by other modules
	afterLogout = loginPath + "/"
)

func wire(cfg Config, n needs) (kit.Parts, provides, error) {
	s := &service{needs: n, cfg: cfg, times: newLifetimes(cfg), rows: store{n.DB}}
	login := page.Handler("login", loginTemplate, n.Logger, s.loginPage)
	return kit.Parts{
		Schemas: []kit.Schema{kit.SchemaOf[shown]("Session", "A browser in which a user is logged in.")},
		Endpoints: []kit.Endpoint{
			kit.GET("/sessions", kit.Humans, s.list, "Lists the browsers in which the caller is logged in, oldest first."),
			kit.DELETE("/sessions", kit.Humans, s.endOthers, "Logs the caller out of all other browsers.").
				Operation("endOtherSessions"),
			kit.DELETE("/sessions/:session_id", kit.Humans, s.endOne, "Logs the caller out of a browser.").
				Operation("endSession"),
			kit.Mount(loginPath, kit.Anyone, login, "The login page.").Rate(kit.LoginClass).MaxBody(page.MaxBody),
			kit.Mount(loginAlias, kit.Anyone, login, "The same as /login.").Rate(kit.LoginClass).MaxBody(page.MaxBody),
			kit.Mount(tokenPath, kit.Anyone, page.Handler("token", tokenTemplate, n.Logger, s.tokenPage),
				"Logs a desktop app in with a token from a login in a browser.").MaxBody(page.MaxBody),
			kit.Mount(logoutPath, kit.Anyone, page.Handler("logout", logoutTemplate, n.Logger, s.logoutPage),
				"Logs a browser out.").MaxBody(page.MaxBody),
		},
		Tables: []kit.Table{
			kit.NotExported[row]("login secrets").OnRestore(kit.Credential),
			kit.NotExported[token]("login secrets").OnRestore(kit.Credential),
		},
		Migrations: migrations,
		Settings:   []declared.Any{s.times.life, s.times.idle},
		Commands:   s.commands(),
		Events:     []kit.AnyEvent{changed.Any()},
		Answers:    []kit.Answer{kit.Answers(s.aboutUser), kit.Answers(s.began)},
		Hooks: []kit.Hook{
			kit.On(s.deactivated).Order(-10).Again(), // before other hooks lock the realm
			kit.On(s.loginChanged).Again(), kit.On(s.profileDeleted).Again(), kit.On(s.realmDeactivated),
			kit.On(s.shortened),
		},
		Directory: []directory.Part{{Name: "sessions", Load: s.load}},
		Jobs: []kit.Job{
			{Name: "note_used_sessions", Every: 5 * time.Minute, Timeout: time.Minute, Everywhere: true, Run: s.saveUsed},
			{Name: "forget_sessions", Deletes: true, Every: time.Hour, Timeout: 10 * time.Minute, Run: s.deleteExpired},
		},
	}, provides{Sessions: s, SignIns: s, Login: login}, nil
}

func (s *service) load(ctx context.Context, r realm.ID, b *directory.Builder) error {
	return s.rows.Each(ctx, r, func(one *row) { b.Session(one.session()) })
}
