package headerlogin

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/signin"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/kit/page"
)

// serves reports whether an organization can use the module.
func (s *service) serves(ctx context.Context, id realm.ID) (bool, error) {
	v, err := s.Directory.View(ctx, id)
	if err != nil {
		return false, err
	}
	return v.Realm() != nil && (s.cfg.Realm == "" || s.cfg.Realm == v.Realm().StringID), nil
}

// serving returns a handler for a page, which does not exist below its path and in organizations that can't use it.
func (s *service) serving(path string, h http.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id, err := s.Realms.Resolve(r.Context(), page.Host(r))
		served := false
		if err == nil && id != 0 {
			served, err = s.serves(r.Context(), id)
		}
		switch {
		case err != nil && !errs.Is(err, errs.NonexistentSubdomain):
			page.Fail(w, r, err)
		case !served || strings.TrimSuffix(r.URL.Path, "/") != path:
			page.Fail(w, r, errs.New(errs.NotFound, "This page does not exist."))
		case r.Method != http.MethodGet:
			w.Header().Set("Allow", http.MethodGet)
			w.WriteHeader(http.StatusMethodNotAllowed)
		default:
			h(w, r)
		}
	})
}

// begin handles the button on the login page. It sends the browser to the path at which the proxy authenticates.
func (s *service) begin(w http.ResponseWriter, r *http.Request) {
	started, ok := s.Identities.Begin(w, r, s.about, r.URL.Query().Has("connect"))
	if !ok {
		return
	}
	redirect(w, completePath+"/?"+url.Values{"state": {started.State}}.Encode())
}

// complete handles the request that the proxy has authenticated. Whoever comes here without having begun begins now.
func (s *service) complete(w http.ResponseWriter, r *http.Request) {
	if !r.URL.Query().Has("state") {
		redirect(w, startPath+"/?"+r.URL.RawQuery)
		return
	}
	started, ok := s.Identities.Resume(w, r, s.about, r.URL.Query().Get("state"))
	if !ok {
		return
	}
	id, err := s.identity(r)
	if err != nil {
		s.Identities.Refuse(w, r, s.about, signin.BadAnswer, err)
		return
	}
	s.Identities.Finish(w, r, s.about, started, id)
}

// identity returns the person whom the proxy names.
func (s *service) identity(r *http.Request) (signin.Identity, error) {
	peer, trusted := kit.Peer(r.Context()), false
	for _, p := range s.proxies {
		trusted = trusted || p.Contains(peer)
	}
	names, secrets := r.Header.Values(s.cfg.Header), r.Header.Values(s.cfg.ProofHeader)
	switch {
	case !trusted:
		return signin.Identity{}, fmt.Errorf("%v is not in modules.headerlogin.trusted_proxies", peer)
	case len(secrets) != 1 || subtle.ConstantTimeCompare([]byte(secrets[0]), []byte(s.secret)) != 1:
		return signin.Identity{}, fmt.Errorf("the header %s from %v does not contain modules.headerlogin.secret",
			s.cfg.ProofHeader, peer)
	case len(names) == 0 || names[0] == "":
		return signin.Identity{}, fmt.Errorf("the proxy sends no header %s: it has to authenticate people at %s",
			s.cfg.Header, completePath)
	case len(names) > 1:
		return signin.Identity{}, fmt.Errorf("the header %s appears more than once: the proxy has to remove the client's",
			s.cfg.Header)
	case !signin.ValidSubject(names[0]):
		return signin.Identity{}, errors.New("the name is longer than 255 characters, or not ASCII")
	}
	id := signin.Identity{Subject: strings.ToLower(names[0]), Email: names[0], Verified: true}
	if s.cfg.AppendDomain != "" && !strings.Contains(id.Email, "@") {
		id.Email += "@" + s.cfg.AppendDomain
	}
	if !strings.Contains(id.Email, "@") {
		return signin.Identity{}, fmt.Errorf("%q is not an address; set modules.headerlogin.append_domain", id.Email)
	}
	if s.cfg.NameHeader != "" {
		id.Name = r.Header.Get(s.cfg.NameHeader)
	}
	return id, nil
}

func redirect(w http.ResponseWriter, to string) {
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Referrer-Policy", "no-referrer")
	w.Header().Set("Location", to)
	w.WriteHeader(http.StatusFound)
}
