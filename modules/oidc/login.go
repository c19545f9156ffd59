package oidc

import (
	"context"
	"crypto/subtle"
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/signin"
	"github.com/stoachat/stoa/modules/kit/page"
)

// Paths of the pages. The provider's own path follows.
const (
	loginPath    = "/accounts/login/social"
	signUpPath   = "/accounts/register/social"
	completePath = "/complete"
)

// methods answers signin.Methods.
func (s *service) methods(ctx context.Context, q signin.Methods) ([]signin.Method, error) {
	if q.Realm == 0 {
		return nil, nil
	}
	v, err := s.Directory.View(ctx, q.Realm)
	if err != nil {
		return nil, err
	}
	var out []signin.Method
	for _, p := range s.providers {
		if !p.serves(v) {
			continue
		}
		m := signin.Method{
			Name: p.method(), DisplayName: p.Name, Provider: true,
			LoginURL: loginPath + p.path(), SignUpURL: signUpPath + p.path(),
		}
		if p.Icon != "" {
			m.Icon = &p.Icon
		}
		out = append(out, m)
	}
	return out, nil
}

// manages answers signin.Manages.
func (s *service) manages(ctx context.Context, q signin.Manages) (signin.Provider, error) {
	v, err := s.Directory.View(ctx, q.Realm)
	if err != nil {
		return signin.Provider{}, err
	}
	for _, p := range s.providers {
		if p.about.ID == q.Provider && p.serves(v) {
			return p.about, nil
		}
	}
	return signin.Provider{}, nil
}

// serves reports whether an organization can use the provider.
func (p *provider) serves(v *directory.View) bool {
	return v.Realm() != nil && (p.Realm == "" || p.Realm == v.Realm().StringID)
}

// at returns the organization that a request to a path of the provider is about, its ID's view and its public address.
// Errors: NotFound, Unavailable.
func (s *service) at(r *http.Request, p *provider, paths ...string) (*directory.View, string, error) {
	missing := errs.New(errs.NotFound, "This page does not exist.")
	if !slices.Contains(paths, strings.TrimSuffix(r.URL.Path, "/")) {
		return nil, "", missing
	}
	id, err := s.Realms.Resolve(r.Context(), page.Host(r))
	if errs.Is(err, errs.NonexistentSubdomain) || err == nil && id == 0 {
		return nil, "", missing
	}
	if err != nil {
		return nil, "", err
	}
	v, err := s.Directory.View(r.Context(), id)
	if err != nil {
		return nil, "", err
	}
	if !p.serves(v) {
		return nil, "", missing
	}
	address, err := page.Address(r.Context(), s.Site, s.Realms, v.Realm())
	if address == "" {
		address = page.Origin(r)
	}
	return v, address, err
}

// redirectURI returns the address to which the provider sends its answer.
func (p *provider) redirectURI(address string) string { return address + p.completePath() + "/" }

func (p *provider) completePath() string {
	if p.ShortAddress {
		return completePath + "/oidc"
	}
	return completePath + p.path()
}

// begin handles the button on the login page: it sends the browser to the provider.
func (s *service) begin(w http.ResponseWriter, r *http.Request, p *provider) {
	_, address, err := s.at(r, p, loginPath+p.path(), signUpPath+p.path())
	switch {
	case err != nil:
		page.Fail(w, r, err)
		return
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		w.Header().Set("Allow", "GET, HEAD")
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	case !strings.EqualFold(address, page.Origin(r)): // the answer arrives there, and so must the cookie
		redirect(w, address+r.URL.RequestURI())
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), p.Timeout)
	defer cancel()
	m, err := p.metadata(ctx)
	if err != nil {
		s.Identities.Refuse(w, r, p.about, signin.Unreachable, err)
		return
	}
	started, ok := s.Identities.Begin(w, r, p.about, r.URL.Query().Has("connect"))
	if !ok {
		return
	}
	options := []oauth2.AuthCodeOption{oidc.Nonce(started.Nonce), oauth2.S256ChallengeOption(started.Verifier)}
	if p.Prompt != "" {
		options = append(options, oauth2.SetAuthURLParam("prompt", p.Prompt))
	}
	if len(p.ACR) > 0 {
		options = append(options, oauth2.SetAuthURLParam("acr_values", strings.Join(p.ACR, " ")))
	}
	if p.Preset == "google" && len(p.AllowedDomains) == 1 {
		options = append(options, oauth2.SetAuthURLParam("hd", p.AllowedDomains[0]))
	}
	if presets[p.Preset].formPost {
		options = append(options, oauth2.SetAuthURLParam("response_mode", "form_post"))
	}
	to, err := p.requestURL(ctx, m, p.oauth(m, p.redirectURI(address)), started.State, options)
	if err != nil {
		s.Identities.Refuse(w, r, p.about, signin.Unreachable, err)
		return
	}
	redirect(w, to)
}

func redirect(w http.ResponseWriter, to string) {
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Referrer-Policy", "no-referrer")
	w.Header().Set("Location", to)
	w.WriteHeader(http.StatusFound)
}

// complete handles the provider's answer, which the browser brings.
func (s *service) complete(w http.ResponseWriter, r *http.Request, p *provider) {
	_, address, err := s.at(r, p, p.completePath())
	switch {
	case err != nil:
		page.Fail(w, r, err)
		return
	case r.Method != p.answersBy():
		w.Header().Set("Allow", p.answersBy())
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	q := r.URL.Query()
	if r.Method == http.MethodPost {
		if err := r.ParseForm(); err != nil {
			s.Identities.Refuse(w, r, p.about, signin.BadAnswer, err)
			return
		}
		q = r.PostForm
		r = r.Clone(r.Context()) // as if the browser had come by a redirect, since it has no form of ours to return to
		r.Method, r.URL.RawQuery = http.MethodGet, ""
	}
	started, ok := s.Identities.Resume(w, r, p.about, q.Get("state"))
	if !ok {
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), p.Timeout)
	defer cancel()
	m, err := p.metadata(ctx)
	if err != nil {
		s.Identities.Refuse(w, r, p.about, signin.Unreachable, err)
		return
	}
	if err := p.checkIss(m, q.Has("iss"), q.Get("iss")); err != nil {
		s.Identities.Refuse(w, r, p.about, signin.BadAnswer, err)
		return
	}
	if q.Get("error") != "" {
		s.Identities.Refuse(w, r, p.about, signin.Denied, errors.New(printable(q.Get("error"))))
		return
	}
	id, err := p.exchange(ctx, m, p.redirectURI(address), q.Get("code"), started)
	var refused *oauth2.RetrieveError
	switch {
	case errors.Is(err, errOutside):
		s.Identities.Refuse(w, r, p.about, signin.Outside, err)
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &refused) && refused.Response.StatusCode >= 500:
		s.Identities.Refuse(w, r, p.about, signin.Unreachable, err)
	case err != nil:
		s.Identities.Refuse(w, r, p.about, signin.BadAnswer, err)
	default:
		if id.Name == "" && p.Preset == "apple" {
			id.Name = appleName(q.Get("user"))
		}
		s.Identities.Finish(w, r, p.about, started, id)
	}
}

// answersBy returns the method of the request with the provider's answer.
func (p *provider) answersBy() string {
	if presets[p.Preset].formPost {
		return http.MethodPost
	}
	return http.MethodGet
}

// checkIss checks the parameter iss of an answer; see RFC 9207.
func (p *provider) checkIss(m *metadata, given bool, iss string) error {
	if !given && !m.AlwaysIss || p.manyTenants() {
		return nil
	}
	if subtle.ConstantTimeCompare([]byte(iss), []byte(p.Issuer)) != 1 {
		return errors.New("the answer is that of another issuer")
	}
	return nil
}

// printable returns a text from a URL for the log.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return '?'
		}
		return r
	}, s[:min(len(s), 100)])
}
