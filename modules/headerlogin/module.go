package headerlogin

import (
	"context"
	"net/http"
	"net/netip"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/domain/signin"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

// Module logs in users whom a reverse proxy has authenticated.
var Module = kit.Define("headerlogin", "Logs in users whom a reverse proxy has authenticated and names in a header.",
	Config{Header: "X-Remote-User", ProofHeader: "X-Remote-Secret", Name: "SSO", AutoLink: true}, wire).Optional()

type needs struct {
	fx.In
	Directory  ports.Directory
	Realms     ports.Realms
	Identities ports.Identities
}

type service struct {
	needs
	cfg     Config
	secret  string
	proxies []netip.Prefix
	about   signin.Provider
}

// Paths of the pages.
const (
	startPath    = "/accounts/login/start/sso"
	completePath = "/accounts/login/sso"
)

func wire(cfg Config, n needs) (kit.Parts, error) {
	if len(cfg.TrustedProxies) == 0 {
		return kit.Parts{}, nil
	}
	s := &service{needs: n, cfg: cfg, about: signin.Provider{
		ID: method, Name: cfg.Name, SignUp: cfg.AutoSignUp, Link: cfg.AutoLink,
	}}
	var err error
	if s.proxies, err = cfg.proxies(); err != nil {
		return kit.Parts{}, err
	}
	if s.secret, err = cfg.secret(); err != nil {
		return kit.Parts{}, err
	}
	mount := func(path string, h http.HandlerFunc, doc string) kit.Endpoint {
		return kit.Mount(path, kit.Anyone, s.serving(path, h), doc).Rate(kit.LoginClass).MaxBody(1)
	}
	return kit.Parts{
		Endpoints: []kit.Endpoint{
			mount(startPath, s.begin, "Begins a login of a person whom a reverse proxy authenticates."),
			mount(completePath, s.complete, "Logs in the person whom a reverse proxy has authenticated, and names in a header."),
		},
		Answers: []kit.Answer{kit.Answers(s.methods)},
	}, nil
}

// method is the name of the method to log in, and of the identities' provider.
const method = "remoteuser"

// methods answers signin.Methods.
func (s *service) methods(ctx context.Context, q signin.Methods) ([]signin.Method, error) {
	if q.Realm == 0 {
		return nil, nil
	}
	if served, err := s.serves(ctx, q.Realm); err != nil || !served {
		return nil, err
	}
	m := signin.Method{Name: method, DisplayName: s.cfg.Name, LoginURL: startPath + "/", SignUpURL: startPath + "/"}
	if s.cfg.Icon != "" {
		m.Icon = &s.cfg.Icon
	}
	return []signin.Method{m}, nil
}
