package oidc

import (
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

// Module logs in users through OpenID Connect.
var Module = kit.Define("oidc", "Logs in users whom an OpenID Connect provider has identified.", Config{},
	wire).Optional()

type needs struct {
	fx.In
	Directory  ports.Directory
	Clock      ports.Clock
	Site       ports.Site
	Realms     ports.Realms
	Logger     *slog.Logger
	Identities ports.Identities
}

type service struct {
	needs
	providers []*provider
	once      once
}

func wire(cfg Config, n needs) (kit.Parts, error) {
	s := &service{needs: n}
	for i, c := range cfg.Providers {
		p, err := newProvider(c.filled(), len(cfg.Providers) == 1, n.Clock)
		if err != nil {
			return kit.Parts{}, fmt.Errorf("modules.oidc.providers.%d: %w", i, err)
		}
		s.providers = append(s.providers, p)
	}
	if s.providers == nil {
		return kit.Parts{}, nil
	}
	return kit.Parts{
		Endpoints: s.endpoints(),
		Trials:    s.trials(),
		Answers:   []kit.Answer{kit.Answers(s.methods), kit.Answers(s.logoutPage), kit.Answers(s.manages)},
		Rates: []kit.RateClass{
			{Name: logins, Doc: "Limits logins at OpenID Connect providers, of which each has two requests.", PerUser: 60},
		},
	}, nil
}

func (s *service) endpoints() []kit.Endpoint {
	var all []kit.Endpoint
	for _, p := range s.providers {
		mount := func(path string, h func(http.ResponseWriter, *http.Request, *provider), doc string) {
			all = append(all, kit.Mount(path, kit.Anyone, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				h(w, r, p)
			}), doc).Rate(logins).MaxBody(maxForm))
		}
		mount(loginPath+p.path(), s.begin, "Sends the browser to an OpenID Connect provider.")
		mount(signUpPath+p.path(), s.begin, "The same, for people without an account.")
		mount(p.completePath(), s.complete, "Takes the answer of an OpenID Connect provider.")
		if p.Preset == "github" { // which issues no logout tokens
			continue
		}
		mount(p.logoutPath(), s.logOut, "Ends the sessions of a person who has logged out at an OpenID Connect provider.")
	}
	return all
}

// logins is the name of the rate class.
const logins = "logins"

// maxForm is the maximum size of a body in bytes; logout tokens are the largest.
const maxForm = 32 << 10

// once remembers the logout tokens of the last minutes, which count once.
type once struct {
	mu   sync.Mutex
	seen map[string]time.Time
}

// maxSeen limits the memory of once. A provider that sends more in ten minutes has to repeat some.
const maxSeen = 10_000

// first reports whether a token has not been seen, and remembers it.
func (o *once) first(id string, now time.Time) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.seen == nil {
		o.seen = map[string]time.Time{}
	}
	for old, at := range o.seen {
		if now.Sub(at) > 2*logoutAge {
			delete(o.seen, old)
		}
	}
	if _, again := o.seen[id]; again || len(o.seen) >= maxSeen {
		return false
	}
	o.seen[id] = now
	return true
}
