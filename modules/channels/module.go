package channels

import (
	"context"
	"embed"
	"errors"
	"strings"
	"time"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/channels/internal/defaults"
	"github.com/stoachat/stoa/modules/channels/internal/eventtype"
	"github.com/stoachat/stoa/modules/channels/internal/folders"
	"github.com/stoachat/stoa/modules/channels/internal/subscribing"
	"github.com/stoachat/stoa/modules/channels/internal/traffic"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

//go:embed migrations
var migrations embed.FS

// Module manages channels and subscriptions.
var Module = kit.Provide("channels", "Channels and subscriptions.", Config{
	MaxPerRealm: 20000, MaxPerAuthor: 1000, MaxDaily: 100,
	MaxChannels: 5000, MaxNew: 500, MaxPeople: 50000, MaxSubscriptions: 200000, WholeLists: 250,
}, wire)

// Config is the configuration of the module.
type Config struct {
	WebPublic bool `yaml:"web_public_streams"` // allow channels that anyone on the Internet can read
	// maximum number of channels per realm, without archived ones; a fifth is kept for administrators
	MaxPerRealm int `yaml:"max_per_realm"`
	// maximum number of channels per author, including archived ones; administrators are exempt
	MaxPerAuthor int `yaml:"max_per_author"`
	// maximum number of channels created by one user per day; ten times as many for administrators, unlimited for owners
	MaxDaily    int `yaml:"max_daily_channels"`
	MaxChannels int `yaml:"max_channels"`     // maximum number of channels named in one request
	MaxNew      int `yaml:"max_new_channels"` // maximum number of channels created by one request
	MaxPeople   int `yaml:"max_users"`        // maximum number of users named in one request
	// maximum product of channels and users in one request; users named by permissions of new channels count too
	MaxSubscriptions int `yaml:"max_subscriptions"`

	// channels with fewer subscribers are listed completely for clients that request partial subscribers
	WholeLists int `yaml:"complete_subscribers_below"`
	// pattern of channel addresses, such as %s@in.example.com; empty: the server receives no email
	EmailPattern string `yaml:"email_gateway_pattern"`
}

// Validate checks that all limits are positive.
func (c Config) Validate() error {
	switch {
	case c.MaxPerRealm < 1:
		return errors.New("max_per_realm: must be at least 1")
	case c.MaxPerAuthor < 1:
		return errors.New("max_per_author: must be at least 1")
	case c.MaxChannels < 1:
		return errors.New("max_channels: must be at least 1")
	case c.MaxNew < 1:
		return errors.New("max_new_channels: must be at least 1")
	case c.MaxDaily < 1:
		return errors.New("max_daily_channels: must be at least 1")
	case c.MaxPeople < 1:
		return errors.New("max_users: must be at least 1")
	case c.MaxSubscriptions < 1:
		return errors.New("max_subscriptions: must be at least 1")
	case c.WholeLists < 1:
		return errors.New("complete_subscribers_below: must be at least 1")
	case c.EmailPattern != "" && (strings.Count(c.EmailPattern, "%s") != 1 || !strings.Contains(c.EmailPattern, "@")):
		return errors.New("email_gateway_pattern: must be an e-mail address with one %s in it")
	}
	return nil
}

type needs struct {
	fx.In
	DB        *bunstore.DB
	Work      ports.UnitOfWork
	Log       ports.EventLog
	Audit     ports.Audit
	Directory ports.Directory
	Hooks     ports.Hooks
	Renderer  ports.Renderer
	Clock     ports.Clock
	Realms    ports.Realms

	RecentlyActive kit.Query[user.RecentlyActive, user.Set]
	Counts         kit.Query[message.ChannelCounts, message.Counted]
	Announced      kit.Query[permission.WaitingPeriod, permission.Announced]
}

type provides struct {
	fx.Out
	Channels   ports.Channels
	Spectators ports.Spectators
}

// service handles all requests and hooks that the packages under internal do not handle.
type service struct {
	needs
	cfg         Config
	rows        store
	folders     *folders.Service
	defaults    *defaults.Service
	subscribing *subscribing.Service
}

func wire(cfg Config, n needs) (kit.Parts, provides, error) {
	s := &service{needs: n, cfg: cfg, rows: store{n.DB}}
	s.folders = folders.New(folders.Needs{
		DB: n.DB, Work: n.Work, Log: n.Log, Directory: n.Directory, Renderer: n.Renderer, Clock: n.Clock,
		Audit: n.Audit,
	})
	s.defaults = defaults.New(defaults.Needs{
		DB: n.DB, Work: n.Work, Log: n.Log, Directory: n.Directory, Audit: n.Audit, MaxChannels: cfg.MaxChannels,
	})
	s.subscribing = subscribing.New(subscribing.Needs{
		DB: n.DB, Work: n.Work, Log: n.Log, Directory: n.Directory, Hooks: n.Hooks, Renderer: n.Renderer, Clock: n.Clock,
		Announced: n.Announced,
		Folders:   s.folders,
		Limits: subscribing.Limits{
			WebPublic: cfg.WebPublic, MaxPerRealm: cfg.MaxPerRealm, MaxPerAuthor: cfg.MaxPerAuthor, MaxDaily: cfg.MaxDaily,
			MaxChannels: cfg.MaxChannels, MaxNew: cfg.MaxNew, MaxPeople: cfg.MaxPeople, MaxSubscriptions: cfg.MaxSubscriptions,
		},
		Insert: s.rows.Insert,
	})
	counting := traffic.New(traffic.Needs{
		DB: n.DB, Work: n.Work, Log: n.Log, Directory: n.Directory, Hooks: n.Hooks, Clock: n.Clock, Realms: n.Realms,
		Counts: n.Counts,
		Active: eventtype.RecentlyActive,
	})
	parts := s.parts().With(s.subscribing.Parts(), s.folders.Parts(), s.defaults.Parts(), counting.Parts())
	return parts, provides{Channels: s.subscribing, Spectators: s}, nil
}

// parts returns the contributions of this package, without those of the packages under internal.
func (s *service) parts() kit.Parts {
	return kit.Parts{
		Schemas:   schemas(),
		Endpoints: s.endpoints(),
		Tables: []kit.Table{
			kit.Imported(kit.Exported[channelRow]("A channel."), adaptChannel),
			kit.NotExported[addressRow]("addresses of channels are secrets of this server"),
		},
		Migrations: migrations,
		Register:   s.sections(),
		Events:     eventtype.Types(),
		Hooks: []kit.Hook{
			kit.On(s.firstMessagePosted),
			kit.On(s.firstMoved),
			kit.On(s.directoryChanged),
			kit.On(s.becameFullMembers).Order(-1), // must precede events of other modules that name the channels
		},
		Answers:   []kit.Answer{kit.Answers(s.oldestRetained), kit.Answers(s.byAddress), kit.Answers(s.describeRealm)},
		Directory: []directory.Part{{Name: "channels", Load: s.rows.Load}},
		Commands:  s.commands(),
		CatchUp:   s.catchUp,
	}
}

// catchUp tells other modules that the module has returned.
func (s *service) catchUp(ctx context.Context, r realm.ID, _ time.Time) error {
	return s.Hooks.Run(ctx, &channel.Returned{Realm: r})
}

func (s *service) endpoints() []kit.Endpoint {
	return []kit.Endpoint{
		kit.GET("/users/me/subscriptions", kit.Users, s.mine, "The caller's subscriptions.").Compress().
			Shows(ownSubscriptions{}).Operation("getSubscriptions"),
		kit.GET("/streams", kit.Users, s.list, "Lists channels that the caller can see.").Operation("getChannels").Compress().
			Shows(listedChannels{}),
		kit.GET("/streams/:stream_id", kit.Users, s.get, "Returns a channel.").Operation("getChannel"),
		kit.PATCH("/streams/:stream_id", kit.Users, s.update, "Changes or unarchives a channel.").
			Operation("updateChannel"),
		kit.DELETE("/streams/:stream_id", kit.Users, s.archive, "Archives a channel.").Operation("archiveChannel"),
		kit.GET("/streams/:stream_id/members", kit.Users, s.members, "Lists a channel's subscribers.").
			Operation("getSubscribers"),
		kit.GET("/streams/:stream_id/email_address", kit.Users, s.address, "Returns an email address for a channel.").
			Operation("getChannelEmailAddress"),
		kit.GET("/get_stream_id", kit.Users, s.id, "Returns a channel's ID, by name.").Operation("getChannelId"),
		kit.GET(
			"/users/:user_id/subscriptions/:stream_id",
			kit.Users,
			s.subscribed,
			"Reports whether a user is subscribed to a channel.",
		).Operation("isSubscribed"),
		kit.GET(
			"/users/:user_id/channels",
			kit.Users,
			s.ofUser,
			"Lists those of a user's subscribed channels that the caller can see.",
		),
		kit.POST("/default_streams", kit.Admins, s.addDefault, "Makes a channel a default channel.").
			Operation("addDefaultChannel").Idempotent(),
		kit.DELETE("/default_streams", kit.Admins, s.removeDefault, "Removes a channel from the default channels.").
			Operation("removeDefaultChannel"),
	}
}
