package invites

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

// Module invites people and creates their accounts.
var Module = kit.Define("invites", "Invitations by email and by link, and sign-up.", Config{
	LinkValidity: 10 * 24 * time.Hour, ConfirmationValidity: 24 * time.Hour, MinAccountAge: 3 * 24 * time.Hour,
	MaxPending: 10_000, MaxPendingPerInviter: 500,
	DailyInvitations: 100, DailyPerInviter: 40, DailyConfirmations: 500, DailyWithoutLink: 500, DailyPerAddress: 5,
	DailyPerSource: 5, DailyPerSourceWithLink: 100,
}, wire)

// Config is the configuration of the module. Daily limits apply to the last 24 hours.
type Config struct {
	// default validity of links
	LinkValidity time.Duration `yaml:"link_validity"`
	// validity of emails that confirm an address
	ConfirmationValidity time.Duration `yaml:"confirmation_validity"`
	// minimum account age of users who invite by email; administrators are exempt
	MinAccountAge time.Duration `yaml:"min_account_age"`
	// maximum number of unused invitations per realm; a fifth is kept for administrators
	MaxPending int `yaml:"max_pending"`
	// maximum number of unused invitations of a person with their bots; administrators are exempt
	MaxPendingPerInviter int `yaml:"max_pending_per_inviter"`
	// maximum number of accounts created through one link; 0: unlimited
	MaxLinkUses int `yaml:"max_link_uses"`
	// maximum number of users per realm, however they join, without bots; 0: unlimited
	Seats int `yaml:"seats"`
	// maximum number of invitation emails per realm and day; a fifth is kept for administrators
	DailyInvitations int `yaml:"daily_invitations"`
	// maximum number of invitation emails of a person with their bots per day; administrators are exempt
	DailyPerInviter int `yaml:"daily_per_inviter"`
	// maximum number of sign-ups by link per realm and day; the links of one member use up at most 40 % of it
	DailyConfirmations int `yaml:"daily_confirmations"`
	// maximum number of sign-ups without an invitation per realm and day
	DailyWithoutLink int `yaml:"daily_without_link"`
	// maximum number of emails per realm, address and day
	DailyPerAddress int `yaml:"daily_per_address"`
	// maximum number of sign-ups without an invitation per network source and day, across all realms
	DailyPerSource int `yaml:"daily_per_source"`
	// maximum number of sign-ups by link per network source and day, across all realms
	DailyPerSourceWithLink int `yaml:"daily_per_source_with_link"`
}

// Validate checks the configuration.
func (c Config) Validate() error {
	switch {
	case c.LinkValidity < time.Minute:
		return errors.New("link_validity: want a minute or more")
	case c.ConfirmationValidity < time.Minute:
		return errors.New("confirmation_validity: want a minute or more")
	case c.MinAccountAge < 0:
		return errors.New("min_account_age: want 0 or more")
	case c.MaxPending < 1:
		return errors.New("max_pending: want a positive number")
	case c.MaxPendingPerInviter < 1:
		return errors.New("max_pending_per_inviter: want a positive number")
	case c.DailyPerInviter < 1:
		return errors.New("daily_per_inviter: want a positive number")
	case c.MaxLinkUses < 0:
		return errors.New("max_link_uses: want 0 or more")
	case c.Seats < 0:
		return errors.New("seats: want 0 or more")
	case min(c.DailyInvitations, c.DailyConfirmations, c.DailyWithoutLink, c.DailyPerAddress, c.DailyPerSource,
		c.DailyPerSourceWithLink) < 0:
		return errors.New(
			"daily_invitations, daily_confirmations, daily_without_link, daily_per_address, daily_per_source, " +
				"daily_per_source_with_link: want 0 or more",
		)
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
	Audit     ports.Audit
	Directory ports.Directory
	Clock     ports.Clock
	Site      ports.Site
	Sealer    ports.Sealer
	Logger    *slog.Logger

	Realms    ports.Realms
	Accounts  ports.Accounts
	Passwords ports.Passwords
	Sender    ports.Sender
	Outbox    ports.Outbox
	Sessions  ports.Sessions `optional:"true"`
}

type service struct {
	needs
	cfg    Config
	store  store
	keeper *linksecret.Store
}

const day = 24 * time.Hour

func wire(cfg Config, n needs) (kit.Parts, error) {
	if n.Outbox.Delivers() && n.Site.URL() == "" {
		return kit.Parts{}, errors.New("modules.invites: links in emails need http.url; " +
			"set it to the address where people reach this server, such as https://chat.example.com")
	}
	s := &service{needs: n, cfg: cfg, store: store{db: n.DB}}
	s.keeper = &linksecret.Store{
		Purpose: "invitations", Table: "invite_secret", Sealer: n.Sealer, Work: n.Work, Rows: n.DB,
	}
	at := s.page()
	const validHere = "invitations are valid only on this server"
	return kit.Parts{
		Schemas: []kit.Schema{kit.SchemaOf[record]("Invite", "An invitation.")},
		Endpoints: []kit.Endpoint{
			kit.GET("/invites", kit.Members, s.list, "Lists invitations that can still be used."),
			kit.POST("/invites", kit.Members, s.invite, "Invites people by email.").Operation("sendInvites"),
			kit.POST("/invites/multiuse", kit.Members, s.link, "Creates a link with which any number of people can join.").
				Operation("createInviteLink"),
			kit.DELETE("/invites/:invite_id", kit.Members, s.revoke, "Revokes an email invitation.").
				Operation("revokeInvite"),
			kit.POST("/invites/:invite_id/resend", kit.Members, s.resend, "Sends the email of an invitation again."),
			kit.DELETE("/invites/multiuse/:invite_id", kit.Members, s.revokeLink, "Revokes a link.").
				Operation("revokeInviteLink"),
			kit.POST("/join", kit.Anyone, s.joinByAPI, "Joins the realm, with or without an invitation.").
				Operation("join").MaxBody(page.MaxBody),
			kit.POST("/join/look", kit.Anyone, s.look, "Describes the invitation with a key.").
				Operation("lookUpInvite").MaxBody(page.MaxBody),
			kit.Mount(linkPath, kit.Anyone, at, "The page for joining by link.").MaxBody(page.MaxBody),
			kit.Mount(mailPath, kit.Anyone, at, "The page for joining by email invitation or confirmation.").
				MaxBody(page.MaxBody),
			kit.Mount(openPath, kit.Anyone, at, "The page for signing up without an invitation.").MaxBody(page.MaxBody),
		},
		Tables: []kit.Table{
			kit.NotExported[row](validHere),
			kit.NotExported[sent](validHere),
			s.keeper.Declared(validHere),
		},
		Migrations: migrations,
		Commands:   s.commands(),
		Events:     []kit.AnyEvent{changed.Any()},
		Hooks: []kit.Hook{
			kit.On(s.deactivated).Order(-10).Again(), // must precede hooks that lock the realm
			kit.On(s.roleChanged).Order(-10).Again(),
			kit.On(s.checkSeat).Order(-10), // early, because an error discards the work of other hooks
			kit.On(s.reactivated).Order(-10),
			kit.On(s.endForAddresses),
		},
		CatchUp: s.catchUp,
		Answers: []kit.Answer{kit.Answers(s.composeEmail)},
		Jobs: []kit.Job{
			{Name: "forget_invites", Deletes: true, Every: time.Hour, Timeout: 10 * time.Minute, Run: s.prune},
		},
	}, nil
}
