package confirmations

import (
	"embed"
	"errors"
	"log/slog"
	"time"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/kit/linksecret"
	"github.com/stoachat/stoa/modules/kit/page"
	"github.com/stoachat/stoa/ports"
)

// Module handles links in emails.
var Module = kit.Provide(
	"confirmations",
	"Confirms new email addresses and resets forgotten passwords with links in emails.",
	Config{
		AddressValidity: 24 * time.Hour, PasswordValidity: 2 * time.Hour, LinkValidity: 24 * time.Hour, HourlyPerPerson: 2,
		DailyPerPerson: 5, DailyPerSource: 5,
	},
	wire,
)

// Config is the configuration of the module. Limits apply to the last 60 minutes and 24 hours.
type Config struct {
	AddressValidity  time.Duration `yaml:"address_validity"`  // validity of emails that confirm a new address
	PasswordValidity time.Duration `yaml:"password_validity"` // validity of emails to set a new password
	// validity of password reset links created by owners
	LinkValidity time.Duration `yaml:"link_validity"`
	// maximum number of address changes started by a user, and of password resets for an address, per hour
	HourlyPerPerson int `yaml:"hourly_per_person"`
	DailyPerPerson  int `yaml:"daily_per_person"` // the same limit per day
	DailyPerSource  int `yaml:"daily_per_source"` // maximum number of both requested from one network source per day
}

// Validate checks the configuration.
func (c Config) Validate() error {
	switch {
	case c.AddressValidity < time.Minute:
		return errors.New("address_validity: want a minute or more")
	case c.PasswordValidity < time.Minute:
		return errors.New("password_validity: want a minute or more")
	case c.LinkValidity < time.Minute:
		return errors.New("link_validity: want a minute or more")
	case min(c.HourlyPerPerson, c.DailyPerPerson, c.DailyPerSource) < 1:
		return errors.New("hourly_per_person, daily_per_person, daily_per_source: want 1 or more")
	}
	return nil
}

//go:embed migrations
var migrations embed.FS

type needs struct {
	fx.In
	DB        *bunstore.DB
	Work      ports.UnitOfWork
	Audit     ports.Audit
	Directory ports.Directory
	Clock     ports.Clock
	Site      ports.Site
	Sealer    ports.Sealer
	Logger    *slog.Logger

	Realms      ports.Realms
	Passwords   ports.Passwords
	Credentials ports.Credentials
	Outbox      ports.Outbox
}

type service struct {
	needs
	cfg    Config
	store  store
	keeper *linksecret.Store
}

// provides holds the ports that the module provides.
type provides struct {
	fx.Out
	Links ports.ResetLinks
}

func wire(cfg Config, n needs) (kit.Parts, provides, error) {
	if n.Outbox.Delivers() && n.Site.URL() == "" {
		return kit.Parts{}, provides{}, errors.New("modules.confirmations: links in emails need http.url; " +
			"set it to the address where people reach this server, such as https://chat.example.com")
	}
	s := &service{needs: n, cfg: cfg, store: store{n.DB}}
	s.keeper = &linksecret.Store{
		Purpose: "confirmations", Table: "confirmation_secret", Sealer: n.Sealer, Work: n.Work, Rows: n.DB,
	}
	const ofLinks = "links in emails, which work only on this server"
	return kit.Parts{
		Endpoints: []kit.Endpoint{
			kit.POST(
				"/users/:user_id/password_reset_link",
				kit.Owners,
				s.resetLink,
				"Creates a link to set a new password.",
			).Operation("createPasswordResetLink"),
			kit.Mount(addressPath, kit.Anyone, page.Handler("address", addressPage, n.Logger, s.serveAddress),
				"The page to confirm a new email address.").MaxBody(page.MaxBody),
			kit.Mount(passwordPath, kit.Anyone, page.Handler("password", passwordPage, n.Logger, s.servePassword),
				"The pages to reset a forgotten password.").MaxBody(page.MaxBody),
		},
		Tables: []kit.Table{
			kit.NotExported[row](ofLinks).OnRestore(kit.Credential),
			kit.NotExported[sent](ofLinks),
			s.keeper.Declared(ofLinks),
		},
		Migrations: migrations,
		Hooks: []kit.Hook{
			kit.On(s.startAddressChange),
			kit.On(s.loginChanged).Again(),
			kit.On(s.deactivated).Order(-10).Again(), // must precede hooks that lock the realm
		},
		Answers: []kit.Answer{kit.Answers(s.write)},
		Jobs: []kit.Job{
			{Name: "forget_confirmations", Deletes: true, Every: time.Hour, Timeout: 10 * time.Minute, Run: s.forget},
		},
	}, provides{Links: s}, nil
}
