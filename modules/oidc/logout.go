package oidc

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"

	"github.com/stoachat/stoa/domain/signin"
)

// logoutPage answers signin.LogoutPage with the page of OpenID Connect RP-Initiated Logout 1.0, if the provider's
// metadata is known and names one.
func (s *service) logoutPage(_ context.Context, q signin.LogoutPage) (signin.Elsewhere, error) {
	for _, p := range s.providers {
		if p.method() != q.Provider || !p.mu.TryLock() { // rather without the page than late
			continue
		}
		m := p.known
		p.mu.Unlock()
		if m == nil || checkIssuer(m.EndSession) != nil {
			continue
		}
		u, err := url.Parse(m.EndSession)
		if err != nil {
			continue
		}
		query := u.Query()
		query.Set("client_id", p.ClientID)
		if strings.HasPrefix(q.Return, "http") {
			query.Set("post_logout_redirect_uri", q.Return)
		}
		u.RawQuery = query.Encode()
		return signin.Elsewhere{Name: p.Name, URL: u.String()}, nil
	}
	return signin.Elsewhere{}, nil
}

// logOut handles a logout token, which a provider sends when somebody has logged out there; see OpenID Connect
// Back-Channel Logout 1.0.
func (s *service) logOut(w http.ResponseWriter, r *http.Request, p *provider) {
	w.Header().Set("Cache-Control", "no-store")
	v, _, err := s.at(r, p, p.logoutPath())
	if err != nil || r.Method != http.MethodPost {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), p.Timeout)
	defer cancel()
	t, err := p.logoutToken(ctx, r)
	if err != nil {
		s.Logger.WarnContext(ctx, "a logout token is not valid", "provider", p.ID, "error", err)
	}
	if err != nil || !s.once.first(p.ID+" "+t.TokenID, s.Clock.Now()) {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	if err := s.Identities.LogOut(ctx, v.Realm().ID, p.about, t.Subject, t.SessionID); err != nil {
		s.Logger.ErrorContext(ctx, "sessions could not be ended", "provider", p.ID, "error", err)
		w.WriteHeader(http.StatusServiceUnavailable)
	}
}

// logoutAge is the maximum age of a logout token, which providers send at once.
const logoutAge = 10 * time.Minute

// logoutPath returns the path of the provider's requests to end sessions.
func (p *provider) logoutPath() string { return "/oidc/" + p.ID + "/backchannel-logout" }

// logoutToken returns the verified token of a request.
func (p *provider) logoutToken(ctx context.Context, r *http.Request) (*oidc.LogoutToken, error) {
	if err := r.ParseForm(); err != nil {
		return nil, err
	}
	m, err := p.metadata(ctx)
	if err != nil {
		return nil, err
	}
	t, err := p.verifier(ctx, m).VerifyLogout(ctx, r.PostForm.Get("logout_token"))
	if err != nil {
		return nil, err
	}
	c := claims{}
	if err := t.Claims(&c); err != nil {
		return nil, err
	}
	now := p.clock.Now()
	switch {
	case t.Issuer != p.issuerOf(c):
		return nil, errors.New("the issuer is not allowed")
	case t.TokenID == "" || len(t.TokenID) > 256:
		return nil, errors.New("the token has no ID, or a long one")
	case t.IssuedAt.After(now.Add(p.ClockSkew)) || t.IssuedAt.Before(now.Add(-logoutAge)):
		return nil, errors.New("the token was not issued now")
	case t.Subject == "" && t.SessionID == "":
		return nil, errors.New("the token names neither a person nor a session")
	}
	if at := presets[p.Preset]; at.subject != nil && t.Subject != "" {
		t.Subject = at.subject(c)
	}
	return t, nil
}
