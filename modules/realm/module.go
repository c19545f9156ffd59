package realm

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

// Module manages organizations and their settings.
var Module = kit.Provide("realm", "The organization: its identity and its settings.", Config{
	MailDomain: "stoa.invalid", JitsiURL: "https://meet.jit.si",
}, wire)

// Config is the configuration of the module.
type Config struct {
	// host name of the root organization, as in http.url; other organizations use <string id>.<domain>. Required to
	// host more than one organization
	Domain string `yaml:"domain"`
	// domain of generated email addresses; existing organizations keep theirs
	MailDomain string `yaml:"mail_domain"`
	JitsiURL   string `yaml:"jitsi_url"` // URL of the video call server that clients use, if any
	// URL of video calls on another service, such as https://meet.example.com/{room}; organizations can then choose it,
	// and {room} is replaced by a random name
	CallURL string `yaml:"call_url"`
}

// Validate checks the configuration.
func (c Config) Validate() error {
	if err := checkCallURL(c.CallURL); err != nil {
		return err
	}
	switch {
	case strings.ContainsAny(c.Domain, "@ /:"):
		return errors.New("domain: want a host name such as chat.example.com")
	case c.MailDomain == "" || strings.ContainsAny(c.MailDomain, "@ /:"):
		return errors.New("mail_domain: want a host name such as chat.example.com")
	}
	return nil
}

// checkSite returns an error if the domain differs from the host of http.url, because links in emails would point to
// host names without a realm.
func (c Config) checkSite(site string) error {
	if c.Domain == "" || site == "" {
		return nil
	}
	u, err := url.Parse(site)
	if err != nil {
		return fmt.Errorf("http.url: %w", err)
	}
	if strings.EqualFold(u.Hostname(), c.Domain) {
		return nil
	}
	return fmt.Errorf(
		"modules.realm.domain is %s, but http.url is at %s; set both to the same host name, or remove one of them",
		c.Domain,
		u.Hostname(),
	)
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
	Collected *kit.Collected
	Clock     ports.Clock
	Renderer  ports.Renderer
	Site      ports.Site

	Announced     kit.Query[permission.WaitingPeriod, permission.Announced]
	BigBlueButton kit.Query[realm.OffersBigBlueButton, bool]
	Description   kit.QueryAll[realm.Description, map[string]any]
	Aliases       kit.Query[realm.KeyAliases, map[string]any]
}

// provides holds the ports that the module provides.
type provides struct {
	fx.Out
	Realms   ports.Realms
	Settings ports.RealmSettings
	States   ports.RealmStates
}

type service struct {
	needs
	cfg     Config
	store   store
	cache   realmCache
	static  *static
	started int64 // server_generation
}

func wire(cfg Config, n needs) (kit.Parts, provides, error) {
	if err := cfg.checkSite(n.Site.URL()); err != nil {
		return kit.Parts{}, provides{}, err
	}
	st := newStatic()
	s := &service{needs: n, cfg: cfg, store: store{n.DB}, static: st, started: n.Clock.Now().Unix()}
	return kit.Parts{
		Endpoints: []kit.Endpoint{
			kit.PATCH("/realm", kit.Admins, s.patch, "Changes settings of the organization.").Idempotent(),
			kit.GET("/realm/subdomain/:subdomain", kit.Anyone, s.checkSubdomain,
				"Checks whether a subdomain is available.").Operation("checkSubdomain").WithoutRealm(),
			kit.POST("/realm/deactivate", kit.Owners, s.deactivate,
				"Deactivates the organization. Its users can no longer log in."),
			kit.PATCH("/realm/user_settings_defaults", kit.Admins, s.patchDefaults,
				"Changes the default settings of new users."),
			kit.GET("/realm/domains", kit.Users, s.domains, "Lists the allowed email domains."),
			kit.POST("/realm/domains", kit.Owners, s.addDomain, "Allows email addresses of a domain.").
				Operation("addRealmDomain"),
			kit.PATCH("/realm/domains/:domain", kit.Owners, s.changeDomain,
				"Changes whether a domain's subdomains are also allowed."),
			kit.DELETE("/realm/domains/:domain", kit.Owners, s.removeDomain, "Removes an allowed domain.").
				Operation("removeRealmDomain"),
			kit.Mount("/generate_204", kit.Anyone, http.HandlerFunc(generate204),
				"Returns an empty response, for connectivity checks."),
			kit.Mount(staticPrefix, kit.Anyone, st, "Emoji names, and the default images of organizations."),
		},
		Tables:     []kit.Table{kit.Imported(kit.Exported[row]("The organization."), adapt)},
		Migrations: migrations,
		Schemas:    schemas(),
		Keys:       []kit.Keys{kit.KeysOf[otherKeys]()},
		Register: []kit.Section{
			kit.Register("realm", s.section).Spectators().Shows(shownSettings()).
				Compress("server_supported_permission_settings"),
			kit.Register("realm_domains", s.domainsSection),
			kit.Register("realm_user_settings_defaults", s.defaultsSection).Spectators().Shows(defaultsKeys{}).
				Compress("realm_user_settings_defaults"),
		},
		Events: []kit.AnyEvent{
			created.Any(), deactivated.Any(), reactivated.Any(), expired.Any(), updated.Any(), updatedDict.Any(),
			defaultUpdated.Any(), domainAdded.Any(), domainChanged.Any(), domainRemoved.Any(),
		},
		Answers: []kit.Answer{kit.Answers(s.retentionDays)},
		Hooks: []kit.Hook{
			kit.On(s.archived),
			kit.On(s.deactivated),
			kit.On(s.reactivated),
			kit.On(s.visibilityChanged),
			kit.On(s.becameFullMembers),
		},
		Directory: []directory.Part{{Name: "realm", Load: s.load}},
		Commands:  s.commands(),
	}, provides{Realms: s, Settings: s, States: s}, nil
}

func (s *service) load(ctx context.Context, id realm.ID, b *directory.Builder) error {
	r, err := s.store.Get(ctx, id)
	if r != nil {
		b.Realm(r)
	}
	return err
}
