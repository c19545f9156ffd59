package mailin

import (
	"embed"
	"errors"
	"time"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/kit/linksecret"
	"github.com/stoachat/stoa/ports"
)

// Module receives emails.
var Module = kit.Define(
	"mailin",
	"Turns replies to emails, and emails to channels, into messages.",
	Config{Keep: 60 * 24 * time.Hour},
	wire,
).Optional()

// Config is the configuration of the module.
type Config struct {
	Keep time.Duration `yaml:"keep"` // how long users can reply to an email
}

// Validate checks the configuration.
func (c Config) Validate() error {
	if c.Keep < time.Hour || c.Keep > 10*365*24*time.Hour {
		return errors.New("keep: want a time from 1h to 87600h")
	}
	return nil
}

//go:embed migrations
var migrations embed.FS

type needs struct {
	fx.In
	DB        *bunstore.DB
	Work      ports.UnitOfWork
	Clock     ports.Clock
	Sealer    ports.Sealer
	Directory ports.Directory
	Receivers ports.Receivers
	Sender    ports.Sender
	Realms    ports.Realms
	Site      ports.Site
	Incoming  ports.IncomingMail

	Files ports.Files `optional:"true"`

	ByAddress kit.Query[channel.ByAddress, *channel.Addressed]
}

type service struct {
	needs
	cfg          Config
	store        store
	secrets      *linksecret.Store
	replyLimit   rateLimit[user.ID] // for replies
	channelLimit rateLimit[string]  // for emails to channels, by token
}

func wire(cfg Config, n needs) (kit.Parts, error) {
	s := &service{needs: n, cfg: cfg, store: store{n.DB}}
	s.secrets = &linksecret.Store{Purpose: "mailin", Table: "mailin_secret", Sealer: n.Sealer, Work: n.Work, Rows: n.DB}
	return kit.Parts{
		Migrations: migrations,
		Tables: []kit.Table{
			kit.NotExported[reply]("addresses that work only on this server"),
			s.secrets.Declared("addresses that work only on this server"),
		},
		Jobs: []kit.Job{
			// This job runs until the server stops, and is restarted after an error.
			{Name: "receive emails", Every: 5 * time.Second, Timeout: 10000 * time.Hour, Everywhere: true, Run: s.receive},
			{Name: "old reply addresses", Deletes: true, Every: time.Hour, Timeout: 5 * time.Minute, Run: s.prune},
		},
		Answers: []kit.Answer{kit.Answers(s.replyAddress)},
	}, nil
}
