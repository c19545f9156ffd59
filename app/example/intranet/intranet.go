// Package intranet lets people log in from the organization's intranet, where they are logged in already. It is an
// example of a module that signs people in: a button on the login page, for browsers and apps, leads to the intranet,
// which sends people back with a signed link; SignIns.Finish does the rest.
//
//	intranet.go the login
//	ticket.go   the signature, the browser that it is for, and who may use the page
package intranet

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"strings"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/signin"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/kit/page"
	"github.com/stoachat/stoa/ports"
	"go.uber.org/fx"
)

// Module is the module. Append it to the list in main.
var Module = kit.Define("intranet", "Lets people log in from the intranet.", Config{}, wire)

// Config is the modules.intranet section of the configuration.
type Config struct {
	URL      string     `yaml:"url"`      // the page of the intranet that sends people back; "" turns the login off
	Key      kit.Secret `yaml:"key"`      // with which it signs links, at least 32 bytes
	Networks []string   `yaml:"networks"` // from which people may log in so, such as 10.0.0.0/8; empty: from everywhere
}

// Validate implements the method that kit.Define documents.
func (c Config) Validate() error {
	var all []error
	if c.URL != "" && !strings.HasPrefix(c.URL, "https://") && !strings.HasPrefix(c.URL, "http://") {
		all = append(all, errors.New("url: want a URL such as https://intranet.example.com/chat"))
	}
	if c.URL != "" && len(c.Key) < minKey {
		all = append(all, errors.New("key: want at least 32 bytes, such as from openssl rand -hex 32"))
	}
	for _, n := range c.Networks {
		if _, err := netip.ParsePrefix(n); err != nil {
			all = append(all, errors.New("networks: want networks such as 10.0.0.0/8"))
		}
	}
	return errors.Join(all...)
}

type needs struct {
	fx.In
	Directory ports.Directory
	Realms    ports.Realms
	SignIns   ports.SignIns
	Clock     ports.Clock
	Log       *slog.Logger
}

type service struct {
	needs
	cfg Config
}

// path is that of the page to which the button on the login page leads, and to which the intranet sends people back.
const path = "/accounts/login/intranet"

func wire(cfg Config, n needs) (kit.Parts, error) {
	s := &service{n, cfg}
	if cfg.URL == "" {
		return kit.Parts{}, nil
	}
	return kit.Parts{
		Endpoints: []kit.Endpoint{
			kit.Mount(path, kit.Anyone, page.Handler("intranet", codePage, n.Log, s.login), "Logs in from the intranet.").
				Rate("logins"),
		},
		Answers: []kit.Answer{kit.Answers(s.methods)},
		Rates: []kit.RateClass{
			{Name: "logins", Doc: "Limits logins from the intranet.", PerUser: 20, PerRealm: 2000},
		},
		Requests: kit.Requests{Admit: s.admit},
	}, nil
}

// methods answers signin.Methods: the button on the login page, and external_authentication_methods for apps.
func (s *service) methods(context.Context, signin.Methods) ([]signin.Method, error) {
	return []signin.Method{{Name: "intranet", DisplayName: "the intranet", LoginURL: path, SignUpURL: path}}, nil
}

// codePage shows what remains to do in an app, or an error; other outcomes are redirects.
var codePage = page.Template("intranet", `<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>Log in</title><style>{{.Style}}</style></head><body><main>
{{with .Error}}<p class="error" role="alert">{{.}}</p><p><a href="/login/">Log in</a></p>{{end}}
{{template "finished" .}}
</main></body></html>`)

// result is what the browser does next.
type result struct{ page.Finished }

// login handles the page: without a ticket it sends people to the intranet, with a valid one it logs them in, if the
// same browser was sent there. Otherwise somebody else's link would log people in as that person, unawares.
func (s *service) login(r *http.Request) (result, error) {
	flow, err := signin.ParseFlow(r.URL.Query())
	if err != nil {
		return result{}, err
	}
	by := page.Visitor(r)
	if by.Realm, err = s.Realms.Resolve(r.Context(), page.Host(r)); err == nil && by.Realm == 0 {
		err = errs.New(errs.NonexistentSubdomain, "There is no organization at this address.")
	}
	if err != nil {
		return result{}, err
	}
	if !r.URL.Query().Has("ticket") {
		back, cookie := r.URL.Query(), newState(r) // with the parameters of the flow
		back.Set("state", cookie.Value)
		to := s.cfg.URL + "?" + url.Values{"back": {page.Origin(r) + path + "?" + back.Encode()}}.Encode()
		return result{page.Open(to, cookie)}, nil
	}
	email, err := s.verify(r)
	if err != nil {
		return result{}, err
	}
	v, err := s.Directory.View(r.Context(), by.Realm)
	if err != nil {
		return result{}, err
	}
	u := v.UserByEmail(email)
	if u == nil || u.BotType != user.Human {
		return result{}, errs.Bad("There is no account with this address.")
	}
	out, err := s.SignIns.Finish(r.Context(), by, u.ID, flow) // refuses accounts that have been deactivated
	if err != nil {
		return result{}, err
	}
	return result{page.Finish(r, out, flow)}, nil
}
