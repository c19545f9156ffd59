package jwtlogin

import (
	"context"
	"embed"
	"net/http"
	"time"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/signin"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

// Module logs in users with JSON Web Tokens.
var Module = kit.Define("jwtlogin", "Logs in users for whom another site issues JSON Web Tokens.",
	Config{Algorithms: []string{"HS256"}, Name: "the other site"}, wire).
	TakesKeys(map[string]string{
		"accounts.jwt_key": "key", "accounts.jwt_algorithms": "algorithms", "accounts.jwt_realm": "realm",
		"accounts.jwt_audience": "audience", "accounts.jwt_issuer": "issuer",
	})

//go:embed migrations
var migrations embed.FS

type needs struct {
	fx.In
	DB         *bunstore.DB
	Work       ports.UnitOfWork
	Clock      ports.Clock
	Directory  ports.Directory
	Realms     ports.Realms
	Accounts   ports.Accounts
	Identities ports.Identities

	SecondFactor kit.Query[signin.SecondFactor, bool]
	Record       kit.Query[user.RecordOf, user.Record]
}

type service struct {
	needs
	cfg    Config
	rows   store
	tokens tokens
	about  signin.Provider
}

// loginPath is the path of the page that takes tokens.
const loginPath = "/accounts/login/jwt"

// logins is the name of the rate class.
const logins = "logins"

// maxForm is the maximum size of a body in bytes: a token, whose characters may be escaped.
const maxForm = 3*maxToken + 1<<10

func wire(cfg Config, n needs) (kit.Parts, error) {
	s := &service{needs: n, cfg: cfg, rows: store{n.DB}, about: signin.Provider{
		ID: "jwt", Name: cfg.Name, SignUp: cfg.AutoSignUp, Link: true, ByAddress: true,
	}}
	parts := kit.Parts{
		Tables: []kit.Table{
			kit.NotExported[usedToken]("tokens of logins, which count once").OnRestore(kit.Credential),
		},
		Migrations: migrations,
		Jobs: []kit.Job{
			{Name: "forget_tokens", Deletes: true, Every: time.Hour, Timeout: 10 * time.Minute, Run: s.forget},
		},
	}
	parts.Endpoints = []kit.Endpoint{
		kit.POST("/jwt/fetch_api_key", kit.Anyone, s.fetchKey,
			"Exchanges a JSON Web Token of an identity provider for an API key.").Operation("fetchApiKeyWithToken").
			KeysOnly(),
	}
	if !cfg.enabled() {
		return parts, nil
	}
	var err error
	s.tokens, err = newTokens(cfg)
	parts.Endpoints = append(parts.Endpoints, kit.Mount(loginPath, kit.Anyone, http.HandlerFunc(s.logIn),
		"Logs in the person for whom another site has issued a JSON Web Token.").
		Rate(logins).MaxBody(maxForm))
	parts.Rates = []kit.RateClass{{Name: logins, Doc: "Limits logins with JSON Web Tokens.", PerUser: 30}}
	return parts, err
}

// serves reports whether tokens log in to an organization.
func (s *service) serves(v *directory.View) bool {
	return s.cfg.enabled() && v.Realm() != nil && v.Realm().StringID == s.cfg.Realm
}

// forget is the job that deletes expired tokens.
func (s *service) forget(ctx context.Context) error {
	return s.Work.Do(ctx, func(ctx context.Context) error { return s.rows.Forget(ctx, s.Clock.Now()) })
}
