package mailnotify

import (
	"embed"
	"errors"
	"log/slog"
	"time"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/mailin"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/notification"
	"github.com/stoachat/stoa/domain/readstate"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/kit/linksecret"
	"github.com/stoachat/stoa/modules/kit/page"
	"github.com/stoachat/stoa/ports"
)

// Module sends email notifications.
var Module = kit.Define("mailnotify", "Sends emails about missed messages and new logins, and weekly digests.",
	Config{MaxMessages: 20, DigestHour: 8}, wire)

// Config is the configuration of the module.
type Config struct {
	// maximum number of messages shown in an email; other messages are only counted
	MaxMessages int `yaml:"max_messages"`
	DigestHour  int `yaml:"digest_hour"` // hour in UTC from which weekly digests are sent
}

// Validate checks the configuration.
func (c Config) Validate() error {
	if c.MaxMessages < 1 || c.MaxMessages > 100 {
		return errors.New("max_messages: want a number from 1 to 100")
	}
	if c.DigestHour < 0 || c.DigestHour > 23 {
		return errors.New("digest_hour: want a number from 0 to 23")
	}
	return nil
}

//go:embed migrations
var migrations embed.FS

type needs struct {
	fx.In
	DB        *bunstore.DB
	Work      ports.UnitOfWork
	Directory ports.Directory
	Realms    ports.Realms
	Receivers ports.Receivers
	Hooks     ports.Hooks
	Renderer  ports.Renderer
	Settings  ports.UserSettings
	Outbox    ports.Outbox
	Site      ports.Site
	Sealer    ports.Sealer
	Clock     ports.Clock
	Logger    *slog.Logger

	ReplyAddress kit.Query[mailin.ReplyAddress, string]

	// These are used for digests. Without answers, no topic counts as muted and no user as present.
	MostDiscussed  kit.Query[message.MostDiscussed, []message.Discussion]
	Writers        kit.Query[message.Writers, user.Set]
	Listening      kit.Query[event.Listening, map[user.ID]event.Seq]
	Policies       kit.Query[readstate.TopicPolicies, readstate.PoliciesByTopic]
	Subscriptions  kit.Query[notification.SubscriptionsTo, notification.SubscriptionsByChannel]
	RecentlyActive kit.Query[user.RecentlyActive, user.Set]
}

type service struct {
	needs
	cfg     Config
	store   store
	secrets *linksecret.Store
	backlog kit.Backlog // people who have missed messages
}

func wire(cfg Config, n needs) (kit.Parts, error) {
	s := &service{needs: n, cfg: cfg, store: store{n.DB}, backlog: kit.Backlog{Earliest: earliest}}
	s.secrets = &linksecret.Store{
		Purpose: "mailnotify", Table: "missed_secret", Sealer: n.Sealer, Work: n.Work, Rows: n.DB,
	}
	parts := kit.Parts{
		Tables:     s.tables(),
		Migrations: migrations,
		Endpoints: []kit.Endpoint{
			kit.Mount(unsubscribePath, kit.Anyone, page.Handler("unsubscribe", unsubscribePage, n.Logger, s.unsubscribe),
				"The page for unsubscribing from emails.").MaxBody(page.MaxBody),
		},
	}
	if !n.Outbox.Delivers() {
		return parts, nil
	}
	if n.Site.URL() == "" {
		return kit.Parts{}, errors.New("modules.mailnotify: links in emails need http.url; " +
			"set it to the address where people reach this server, such as https://chat.example.com")
	}
	parts.Hooks = []kit.Hook{
		kit.On(s.noticesDecided), kit.On(s.deactivated).Again(),
		// These run after the module accounts, which sets the join time at a user's first login.
		kit.On(s.sessionBegun).Order(10), kit.On(s.keyIssued).Order(10),
	}
	parts.Answers = []kit.Answer{kit.Answers(s.write)}
	parts.Jobs = []kit.Job{
		{Name: "missed messages", Every: 5 * time.Second, Backlog: &s.backlog, Timeout: 5 * time.Minute, Run: s.collect},
		{Name: "digests", Every: 10 * time.Minute, Timeout: 10 * time.Minute, Run: s.digests},
		{Name: "old missed messages", Deletes: true, Every: time.Hour, Timeout: 5 * time.Minute, Run: s.prune},
	}
	return parts, nil
}

func (s *service) tables() []kit.Table {
	const (
		unsent = "emails waiting to be sent"
		logins = "programs and networks from which users have logged in"
	)
	return []kit.Table{
		kit.NotExported[missed](unsent).OnRestore(kit.Outgoing),
		kit.NotExported[pendingUser](unsent).OnRestore(kit.Outgoing),
		kit.NotExported[letter](unsent).OnRestore(kit.Outgoing),
		kit.NotExported[digestLetter](unsent).OnRestore(kit.Outgoing),
		kit.NotExported[digestRun]("internal state of this server"),
		kit.NotExported[loginDevice](logins),
		kit.NotExported[loginNotice](logins).OnRestore(kit.Outgoing),
		s.secrets.Declared("key of links that work only with this server"),
	}
}
