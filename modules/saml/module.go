package saml

import (
	"embed"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

// Module logs in users through SAML.
var Module = kit.Define("saml", "Logs in users whom a SAML 2.0 identity provider has identified.", Config{},
	wire).Optional()

//go:embed migrations
var migrations embed.FS

type needs struct {
	fx.In
	DB         *bunstore.DB
	Work       ports.UnitOfWork
	Directory  ports.Directory
	Clock      ports.Clock
	Site       ports.Site
	Realms     ports.Realms
	Logger     *slog.Logger
	Identities ports.Identities
}

type service struct {
	needs
	rows      store
	providers []*provider
}

func wire(cfg Config, n needs) (kit.Parts, error) {
	s := &service{needs: n, rows: store{n.DB}}
	if len(cfg.Providers) > 0 && n.Site.URL() == "" {
		return kit.Parts{}, errors.New("modules.saml: assertions are made for an address, so that providers need http.url; " +
			"set it to the address where people reach this server, such as https://chat.example.com")
	}
	for i, c := range cfg.Providers {
		p, err := newProvider(c.filled(), len(cfg.Providers) == 1, n.Clock)
		if err != nil {
			return kit.Parts{}, fmt.Errorf("modules.saml.providers.%d: %w", i, err)
		}
		s.providers = append(s.providers, p)
	}
	parts := kit.Parts{
		Tables: []kit.Table{
			kit.NotExported[assertion]("assertions of logins, which count once").OnRestore(kit.Credential),
		},
		Migrations: migrations,
		Jobs: []kit.Job{
			{Name: "forget_assertions", Deletes: true, Every: time.Hour, Timeout: 10 * time.Minute, Run: s.forget},
		},
	}
	if s.providers != nil {
		parts.Endpoints, parts.Faults, parts.Trials = s.endpoints(), s.faults(), s.trials()
		parts.Answers = []kit.Answer{kit.Answers(s.methods), kit.Answers(s.manages), kit.Answers(s.logoutPage)}
		parts.Rates = []kit.RateClass{
			{Name: logins, Doc: "Limits logins at SAML providers, of which each has two or three requests.", PerUser: 60},
		}
	}
	return parts, nil
}

func (s *service) endpoints() []kit.Endpoint {
	var all []kit.Endpoint
	for _, p := range s.providers {
		mount := func(path string, h func(http.ResponseWriter, *http.Request, *provider), doc string) {
			all = append(all, kit.Mount(path, kit.Anyone, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				h(w, r, p)
			}), doc).Rate(logins).MaxBody(maxForm))
		}
		mount(loginPath+p.path(), s.begin, "Sends the browser to a SAML provider.")
		mount(signUpPath+p.path(), s.begin, "The same, for people without an account.")
		mount(p.completePath(), s.complete, "Takes the answer of a SAML provider.")
		mount(p.logoutPath(), s.logOut, "Ends the sessions of a person who has logged out at a SAML provider.")
		mount(p.metadataPath(), s.describe, "Describes the server to a SAML provider.")
	}
	return all
}

// logins is the name of the rate class.
const logins = "logins"

// maxForm is the maximum size of a body in bytes: a response in base64, whose characters may be escaped.
const maxForm = 2 * maxResponse
